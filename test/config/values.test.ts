import { describe, expect, test } from "@jest/globals";
import { parseListen, parseUrl } from "../../src/config/values.ts";
import { dataOf } from "../support/data.ts";

const data = dataOf<{
  readonly listen: Readonly<Record<string, object>>;
  readonly no_listen: readonly string[];
  readonly urls: Readonly<Record<string, string>>;
  readonly no_urls: readonly string[];
}>("values.yaml", import.meta.url);

describe("addresses to listen on", () => {
  test.each(Object.entries(data.listen))("%s", (text, address) => {
    expect(parseListen(text)).toEqual(address);
  });

  test.each(data.no_listen)("%j is refused", (text) => {
    expect(parseListen(text)).toBeUndefined();
  });
});

describe("URLs", () => {
  test.each(Object.entries(data.urls))("%s", (text, url) => {
    expect(parseUrl(text)).toBe(url);
  });

  test.each(data.no_urls)("%j is refused", (text) => {
    expect(parseUrl(text)).toBeUndefined();
  });
});
