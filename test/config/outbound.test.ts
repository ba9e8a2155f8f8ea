import { expect, test } from "@jest/globals";
import { dataOf } from "../support/data.ts";
import { errorsOf } from "./fixture.ts";

type Case = [url: string, settings: string];
const { refused, accepted } = dataOf<{ refused: Case[]; accepted: Case[] }>("outbound.yaml", import.meta.url);
const reported = (url: string, settings: string) =>
  errorsOf(`networks:\n  - name: m\n    url: "${url}"\n    ${settings}\n`);

test.each(refused)("a key is never sent to another machine over plain http: %s, %s", async (url, settings) => {
  expect(await reported(url, settings)).toBe(
    "stacks-exporter.yaml:3:10: networks[0].url: expected an https URL because of the API key, found an http URL of another machine",
  );
});

test.each(accepted)("there is no such error: %s, %s", async (url, settings) => {
  expect(await reported(url, settings)).toBe("no errors");
});
