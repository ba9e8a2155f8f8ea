// The status page in a real browser, without scripts: of a running exporter on a simulated chain, and with 10,000
// targets and the longest texts. SCREENSHOTS=write updates docs/images.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { startSimulator } from "../../simulator/server.ts";
import type { App } from "../../src/app.ts";
import { closeServer } from "../../src/http/server.ts";
import { createApp } from "../support/app.ts";
import { colorPairs, contrastOf, findChromium, launch, overflowing, widthOf } from "../support/chromium.ts";
import { describeUnless } from "../support/installed.ts";
import { until } from "../support/program.ts";
import { StatusWorld, serverOf, watched } from "../support/status.ts";

jest.setTimeout(400_000);

const executable = findChromium();
const suite = describeUnless(executable === undefined ? ["chromium is not on the PATH"] : []);
const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 800 };
const images = fileURLToPath(new URL("../../docs/images/", import.meta.url));

suite("in Chromium (Debian: apt-get install chromium)", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch(executable ?? "");
  });
  afterAll(() => browser.close());

  /** Opens a page without scripts; every error of the browser fails the test. */
  async function open(url: string, viewport = WIDE, colorScheme: "light" | "dark" = "light"): Promise<Page> {
    const context = await browser.newContext({ viewport, colorScheme, javaScriptEnabled: false });
    const page = await context.newPage();
    page.on("console", (message) => {
      // Browsers always request an icon; there is none.
      if (!message.location().url.endsWith("/favicon.ico")) errors.push(message.text());
    });
    page.on("requestfailed", (request) => errors.push(`${request.url()} failed`));
    await page.goto(url);
    return page;
  }
  const errors: string[] = [];

  describe("a running exporter", () => {
    let simulator: Awaited<ReturnType<typeof startSimulator>>;
    let app: App;
    let url: string;

    beforeAll(async () => {
      simulator = await startSimulator({ seed: 7, history: 60 });
      const { users, contracts } = simulator.chain.accounts;
      const names = ["treasury", "payroll", "market-maker", "cold-storage", "faucet"];
      app = await createApp(`
networks:
  - name: simulated
    url: ${simulator.url}
    budget: { per_minute: 1000, per_month: 50000000 }
    addresses: [${names.map((name, index) => `{ address: ${users[index]}, name: ${name}, group: dao }`).join(", ")}]
    contracts: [{ contract_id: ${contracts.token}, name: token }]
# Timeouts that a busy machine does not reach: several would be an outage, and hide the problems below.
collectors:
  fees: { every: 10s, timeout: 9s }
  mempool: { every: 5s, timeout: 5s }
  blocks: { every: 10s, timeout: 9s }
  addresses: { every: 10s, timeout: 9s }
  contracts: { every: 10s, timeout: 9s }
`);
      const [{ url: base } = {}] = await app.start();
      url = `${base}/`;
      await until(async () => ((await statusOf()) === "ok" ? true : undefined), "the first round");
    });
    afterAll(async () => {
      await app.stop();
      await simulator.close();
    });
    const statusOf = async () => ((await (await fetch(`${url}api/v1/status`)).json()) as { status: string }).status;

    test("shows that everything is OK, and then each problem, since when", async () => {
      const page = await open(url);
      expect(await page.getByRole("status").innerText()).toContain("OK");
      expect(await page.getByRole("heading", { name: "Problems" }).count()).toBe(0);

      simulator.faults.add({ kind: "503", path: "/extended/v1/tx/mempool/stats" });
      simulator.faults.add({ kind: "500", path: `*${simulator.chain.accounts.users[2]}*` });
      // Until the values of mempool expire, and the address is polled.
      for (const text of [/✕ expired/, /market-maker/]) {
        await until(async () => {
          await page.reload();
          return (await page.getByRole("row").allInnerTexts()).find((row) => text.test(row));
        }, `a row like ${text}`);
      }

      // One cause, although it fails two collectors. A busy machine can make it an outage of the whole API.
      expect(await page.getByRole("status").innerText()).toMatch(/Degraded|Down/);
      expect(await page.getByText("(http_server: a 5xx response)").count()).toBe(1);
      const row = page.getByRole("row", { name: /market-maker/ });
      expect(await row.innerText()).toMatch(/! degraded[\s\S]*http_server: [\s\S]*began [\d.]+ (s|min) ago/);
      if (process.env.SCREENSHOTS === "write") {
        await page.screenshot({
          path: `${images}status-wide.png`,
          fullPage: true,
          clip: { x: 0, y: 0, ...WIDE, height: 1200 },
        });
        await (await open(url, PHONE)).screenshot({ path: `${images}status-phone.png` });
      }
    });
  });

  describe("10,000 targets with long and hostile texts", () => {
    let server: Server;
    let url: string;

    beforeAll(async () => {
      const long = "w".repeat(120);
      const world = new StatusWorld().network().network("testnet", { pausedUntil: Date.UTC(2026, 10, 21, 12, 1) });
      world.succeed(world.task("fees", { network: "testnet" }), 1);
      const first = world.task("addresses", { target: watched(`SP0.${long}`, `<script>${long}`, long) });
      world.fail(first, 1, "http_server", `address_transactions: <b>${long}</b>`);
      for (let index = 1; index < 10_000; index += 1)
        world.tasks.push({ ...first, target: watched(`SP${index}`, `deposit ${index}`) });
      const others = world.tasks.slice(-9_999);
      world.state.follow(first.network, [first, ...others]);
      for (const [index, task] of others.entries()) {
        world.succeed(task, index / 1000);
        if (index < 999) world.fail(task, 1, "not_found", "no such address");
      }
      server = serverOf({
        ...world.view(),
        page: undefined as never,
        onError: (error) => errors.push(String(error)),
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    });
    afterAll(() => closeServer(server, 0));

    test.each([
      ["a phone", PHONE],
      ["a narrow phone", { width: 320, height: 640 }],
      ["a tablet", { width: 834, height: 1112 }],
      ["a wide screen", WIDE],
    ])("fit %s: without horizontal scrolling, and nothing is cut off", async (_, viewport) => {
      const page = await open(url, viewport);

      expect(await widthOf(page)).toBeLessThanOrEqual(viewport.width);
      expect(await overflowing(page, "td, tbody th, li, p")).toEqual([]);
    });

    test.each(["light", "dark"] as const)("have enough contrast in every text, %s", async (scheme) => {
      const page = await open(url, WIDE, scheme);
      const pairs = await colorPairs(page);

      expect(pairs.length).toBeGreaterThanOrEqual(4);
      expect(pairs.filter((pair) => contrastOf(pair) < 4.5)).toEqual([]);
    });

    test("keep the meaning of tables on a phone, where rows are cards", async () => {
      const page = await open(url, PHONE);

      expect(await page.getByRole("table").count()).toBe(2);
      expect(await page.getByRole("rowheader").count()).toBeGreaterThan(100);
    });
  });

  test("the browser reported no error", () => {
    expect(errors).toEqual([]);
  });
});
