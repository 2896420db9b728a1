// The picture of the README: node picture.mjs FROM TO, where FROM has report.html and viewer.html.
// Writes first-light.webp and first-dark.webp to TO: both pages side by side, as windows.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, LONG, settle } from "./support.mjs";

const [from, to] = process.argv.slice(2);
/** One page of the picture, in CSS pixels; shown at half the width of a README. */
const PAGE = { width: 900, height: 880 };
const PAGES = [["report", "comet/echo"], ["viewer", null]];
const GAP = 24;
const COLOURS = { light: { desk: "#eef0f3", edge: "#c9ced6" }, dark: { desk: "#0d1117", edge: "#3d444d" } };

const browser = await launch();
for (const scheme of Object.keys(COLOURS)) {
  const shots = [];
  for (const [name, heading] of PAGES) shots.push(await shot(name, heading, scheme));
  await writeFile(join(to, `first-${scheme}.webp`), await composed(shots, COLOURS[scheme]));
}
await browser.close();

/** Returns a screen of a page as an address: that below a heading, or the first. */
async function shot(name, heading, colorScheme) {
  const page = await browser.newPage({ viewport: PAGE, colorScheme });
  await page.goto(pathToFileURL(join(from, `${name}.html`)).href, { timeout: LONG });
  await settle(page);
  if (heading) await page.locator("h2", { hasText: heading }).evaluate((element) => element.scrollIntoView());
  await page.waitForTimeout(500);
  const png = await page.screenshot();
  await page.close();
  return `data:image/png;base64,${png.toString("base64")}`;
}

/** Returns screenshots side by side, as WebP. */
async function composed(shots, { desk, edge }) {
  const viewport = { width: 2 * PAGE.width + 3 * GAP, height: PAGE.height + 2 * GAP };
  const page = await browser.newPage({ viewport });
  const frames = shots.map((url) => `<img src="${url}">`).join("");
  const style = `body { margin: ${GAP}px; display: flex; gap: ${GAP}px; background: ${desk} }
    img { box-sizing: border-box; width: ${PAGE.width}px; border: 1px solid ${edge}; border-radius: 8px }`;
  await page.setContent(`<style>${style}</style>${frames}`);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 80 });
  await page.close();
  return Buffer.from(data, "base64");
}
