// How long frames take while a large timeline is panned: node frames.mjs PROGRAM FILE. For docs/viewer.md, not a test.
import { launch, open, serve, settle } from "./support.mjs";

const [program, file] = process.argv.slice(2);
const server = await serve(program, [file]);
const browser = await launch();
for (const [name, query] of [["webgl2", ""], ["canvas", "?renderer=canvas"]]) {
  const begin = Date.now();
  const { page } = await open(browser, server.url + query, { viewport: { width: 1400, height: 900 } });
  console.log(`${name}: at rest ${((Date.now() - begin) / 1000).toFixed(2)} s after it was opened`);
  for (const depth of [2, 6, 6]) {
    for (let i = 0; i < depth; i++) await page.keyboard.press("w");
    await settle(page);
    const times = await page.evaluate(() => new Promise((resolve) => {
      const section = document.querySelector(".panto-view");
      const canvas = document.querySelector(".over");
      const drawn = [];
      let left = 40;
      const step = () => {
        drawn.push(Number(section.dataset.drawn));
        if (left-- === 0) return resolve(drawn.slice(1));
        canvas.dispatchEvent(new KeyboardEvent("keydown", { key: left > 20 ? "ArrowLeft" : "ArrowRight", bubbles: true }));
        requestAnimationFrame(() => setTimeout(step));
      };
      step();
    }));
    times.sort((one, other) => one - other);
    const at = (share) => times[Math.floor(share * (times.length - 1))].toFixed(1);
    const { from, to } = await page.evaluate(() => ({ ...document.querySelector(".panto-view").dataset }));
    const status = await page.textContent(".status");
    console.log(`${name}: ${((to - from) * 1e-9).toPrecision(3)} ms in view (${status}): a frame is drawn in ${at(0.5)} ms, 95 % in ${at(0.95)} ms`);
  }
  await page.close();
}
await browser.close();
server.end();
