import { describe, expect, test } from "@jest/globals";
import { subjects } from "../../alerts/index.ts";
import { runbookUrl } from "../../alerts/runbook-page.ts";
import { DEFAULTS } from "../../alerts/values.ts";
import { runbookHtml } from "../../src/commands/runbooks.ts";

/** Resolves the links of a page as a browser does, to path and fragment. */
const linksOf = (page: string, url: string) =>
  [...page.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => {
    const { pathname, hash } = new URL(href, url);
    return `${pathname}${hash}`;
  });

describe.each(subjects.map((subject) => [subject.name, subject] as const))("%s", (name, subject) => {
  const page = runbookHtml(name) ?? "";

  test("has a section where the link of each alert leads", () => {
    for (const alert of subject.alerts) {
      const url = new URL(runbookUrl(alert, name));
      expect(url.href).toBe(`${DEFAULTS.runbookUrl}/${name}${url.hash}`);
      expect(page).toContain(`<h2 id="${url.hash.slice(1)}">${alert.alert}</h2>`);
    }
  });

  test("has every query, and no markup of Markdown", () => {
    const queries = subject.alerts.flatMap(({ runbook }) => runbook.check.map(([, query]) => query));
    const text = page
      .replace(/<[^>]*>/g, "")
      .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

    expect(queries.filter((query) => !text.includes(query))).toEqual([]);
    expect(page).not.toContain("`");
  });

  test("leads to the status page, the index and its sections", () => {
    expect(linksOf(page, `http://exporter/prefix/runbooks/${name}`)).toEqual([
      "/prefix/",
      "/prefix/runbooks/",
      ...subject.alerts.map(({ alert }) => `/prefix/runbooks/${name}#${alert.toLowerCase()}`),
    ]);
  });
});

test("the index leads to every alert", () => {
  const links = linksOf(runbookHtml("") ?? "", "http://exporter/runbooks/");
  const expected = subjects.flatMap(({ name, alerts }) =>
    alerts.map(({ alert }) => `/runbooks/${name}#${alert.toLowerCase()}`),
  );

  expect(links).toEqual(["/", "/runbooks/", ...expected]);
});

test("an unknown subject has no page", () => {
  expect(runbookHtml("unknown")).toBeUndefined();
});
