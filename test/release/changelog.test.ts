import { expect, test } from "@jest/globals";
import { notesOf } from "../../tools/release/changelog.ts";

const changelog = `# Changelog

## [Unreleased]

## [1.1.0] - 2026-12-01

### Added

- Second.

## [1.0.0] - 2026-11-01

- First.

## [0.9.0]

- Without a date.
`;

test("the release notes are the section of the version, without its heading", () => {
  expect(notesOf(changelog, "1.1.0")).toBe("### Added\n\n- Second.\n");
  expect(notesOf(changelog, "1.0.0")).toBe("- First.\n");
});

test("an empty section, a missing section and a version without a date have no release notes", () => {
  expect(notesOf(changelog, "Unreleased")).toBeUndefined();
  expect(notesOf(changelog, "1.0")).toBeUndefined();
  expect(notesOf(changelog, "0.9.0")).toBeUndefined();
});
