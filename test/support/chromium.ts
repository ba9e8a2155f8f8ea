// Chromium of the system, because only a real browser shows the layout of a page.
import { spawnSync } from "node:child_process";
import { type Browser, chromium, type Page } from "playwright-core";

/** The path of Chromium; undefined if it is not installed. */
export function findChromium(): string | undefined {
  const found = ["chromium", "chromium-browser", "google-chrome"].find(
    (name) => spawnSync(name, ["--version"]).status === 0,
  );
  return found === undefined ? undefined : spawnSync("which", [found], { encoding: "utf8" }).stdout.trim();
}

/** Starts Chromium headless and without its sandbox, which root cannot use. It opens only pages of the exporter. */
export const launch = (executablePath: string): Promise<Browser> => chromium.launch({ executablePath });

// Code that runs in the browser is text, because the types of the DOM would apply to the whole project.

/** Width of the whole page, in pixels. */
export const widthOf = (page: Page): Promise<number> => page.evaluate("document.documentElement.scrollWidth");

/** Elements whose content is wider than they are. */
export const overflowing = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter(({ scrollWidth, clientWidth }) => clientWidth > 1 && scrollWidth > clientWidth + 1)
    .map(({ outerHTML }) => outerHTML)`);

/** Every pair of text colour and background colour: `rgb(…) on rgb(…)`. */
export const colorPairs = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const isText = ({ nodeType, textContent }) => nodeType === 3 && textContent.trim() !== "";
    const background = (element) => {
      const { backgroundColor } = getComputedStyle(element);
      return backgroundColor !== "rgba(0, 0, 0, 0)" ? backgroundColor : background(element.parentElement);
    };
    const texts = [...document.querySelectorAll("body *")].filter(({ childNodes }) => [...childNodes].some(isText));
    return [...new Set(texts.map((element) => getComputedStyle(element).color + " on " + background(element)))];
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
