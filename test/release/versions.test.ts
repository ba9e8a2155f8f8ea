import { expect, test } from "@jest/globals";
import { repositoryProblems, version, versionsElsewhere } from "../../tools/release/versions.ts";

test.each(Object.entries(versionsElsewhere()))("%s is the version of package.json", (_, found) => {
  expect(found).toBe(version);
});

test("a workflow requires its repository in package.json; a local checkout does not", () => {
  expect(repositoryProblems(undefined)).toEqual([]);
  expect(repositoryProblems("https://git.test/other")).toEqual([
    expect.stringMatching(/^repository.url of package.json: expected git\+https:\/\/git.test\/other.git, found /),
  ]);
});
