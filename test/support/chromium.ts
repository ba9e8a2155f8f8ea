// The real browser of the system. A test of a page in anything else would not show how it looks.
import { spawnSync } from "node:child_process";
import { type Browser, chromium, type Page } from "playwright-core";

/** Where Chromium is; undefined when it is not installed. Throws then when REQUIRE_CHROMIUM is set. */
export function findChromium(): string | undefined {
  const found = ["chromium", "chromium-browser", "google-chrome"].find(
    (name) => spawnSync(name, ["--version"]).status === 0,
  );
  if (found === undefined && process.env.REQUIRE_CHROMIUM !== undefined) throw new Error("chromium is not on the PATH");
  return found === undefined ? undefined : spawnSync("which", [found], { encoding: "utf8" }).stdout.trim();
}

/** Starts it headless, without its sandbox, which needs a user other than root; it opens only our own pages. */
export const launch = (executablePath: string): Promise<Browser> => chromium.launch({ executablePath });

// What runs in the browser is text here: the types of its world would hold for the whole project.

/** Width of the whole page, in pixels. */
export const widthOf = (page: Page): Promise<number> => page.evaluate("document.documentElement.scrollWidth");

/** Elements whose content is wider than they are. */
export const overflowing = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter(({ scrollWidth, clientWidth }) => clientWidth > 1 && scrollWidth > clientWidth + 1)
    .map(({ outerHTML }) => outerHTML)`);

/** Every pair of colours in which there is text: `rgb(…) on rgb(…)`. */
export const colorPairs = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const isText = ({ nodeType, textContent }) => nodeType === 3 && textContent.trim() !== "";
    const behind = (element) => {
      const { backgroundColor } = getComputedStyle(element);
      return backgroundColor !== "rgba(0, 0, 0, 0)" ? backgroundColor : behind(element.parentElement);
    };
    const texts = [...document.querySelectorAll("body *")].filter(({ childNodes }) => [...childNodes].some(isText));
    return [...new Set(texts.map((element) => getComputedStyle(element).color + " on " + behind(element)))];
  })()`);

/** Contrast of a pair of colours, as WCAG 2 defines it: 1 to 21. */
export function contrastOf(pair: string): number {
  const luminances = pair.split(" on ").map((color) => {
    const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  });
  return (Math.max(...luminances) + 0.05) / (Math.min(...luminances) + 0.05);
}
