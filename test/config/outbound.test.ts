// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of the file
import { expect, test } from "@jest/globals";
import { errorsOf } from "./fixture.ts";

const network = (settings: string, url: string) => `networks:\n  - name: m\n    url: "${url}"\n    ${settings}\n`;
test.each([
  ["api_key_file: good", "http://api.example", false],
  ["api_key_file: good", "http://10.0.0.1:3999/path", false],
  ["api_key_file: good", "http://[fd00::1]", false],
  ["api_key: ${GOOD_KEY}", "http://localhost.example", false],
  ["api_key_file: good", "http://localhost:3999", true],
  ["api_key_file: good", "http://api.localhost", true],
  ["api_key_file: good", "http://127.8.9.10:3999", true],
  ["api_key_file: good", "http://[::1]:80", true],
  ["api_key_file: good", "http://[::ffff:127.0.0.1]", true],
  ["api_key_file: good", "https://api.example", true],
  ["longest_pause: 1m", "http://api.example", true],
])("a key is never sent to another machine over plain http: %s, %s", async (settings, url, isAccepted) => {
  expect(await errorsOf(network(settings, url))).toBe(
    isAccepted
      ? "no errors"
      : "stacks-exporter.yaml:3:10: networks[0].url: expected an https URL because of the API key, found an http URL of another machine",
  );
});
