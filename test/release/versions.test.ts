import { expect, test } from "@jest/globals";
import { version, versionsElsewhere } from "../../tools/release/versions.ts";

test.each(Object.entries(versionsElsewhere()))("%s is the version of package.json", (_, found) => {
  expect(found).toBe(version);
});
