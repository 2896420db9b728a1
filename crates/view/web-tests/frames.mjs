// Frame times while a large timeline is panned and zoomed: node frames.mjs PROGRAM FILE. For
// docs/viewer.md, not a test.
//
// Reported are whole frames, from one drawing to the next, and the page's own work in them. A
// browser draws at most every 16.7 ms.
import { launch, open, serve, settle } from "./support.mjs";

const [program, file] = process.argv.slice(2);
/** Duration of each movement, in milliseconds. */
const LASTS = 3000;
const server = await serve(program, [file]);

const browser = await launch();
for (const renderer of ["canvas", "webgl2"]) {
  const begin = Date.now();
  const { page } = await open(browser, `${server.url}?renderer=${renderer}`, { viewport: { width: 1400, height: 900 } });
  console.log(`${renderer}: idle ${((Date.now() - begin) / 1000).toFixed(2)} s after opening`);
  for (const depth of [2, 6, 6]) {
    for (let i = 0; i < depth; i++) await page.keyboard.press("w");
    await settle(page);
    await report(page, "moved ", { deltaX: 24, deltaY: 0 });
  }
  await report(page, "zoomed", { deltaX: 0, deltaY: 8 });
  await page.close();
}
await browser.close();
server.end();

/** Turns the wheel by `by` in each frame. */
async function report(page, what, by) {
  const inView = await page.evaluate(() => {
    const { from, to } = document.querySelector(".panto-view").dataset;
    return to - from;
  });
  const { frames, own } = await page.evaluate(([by, lasts]) => new Promise((resolve) => {
    const { dataset } = document.querySelector(".panto-view");
    const canvas = document.querySelector(".over");
    const box = canvas.getBoundingClientRect();
    const event = { bubbles: true, cancelable: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, ...by };
    const [frames, own] = [[], []];
    const begin = performance.now();
    const step = (last) => (now) => {
      frames.push(now - last);
      own.push(Number(dataset.drawn));
      if (now - begin > lasts) return resolve({ frames: frames.slice(1), own: own.slice(1) });
      canvas.dispatchEvent(new WheelEvent("wheel", event));
      requestAnimationFrame(step(now));
    };
    requestAnimationFrame(step(begin));
  }), [by, LASTS]);
  const at = (times, share) => times.sort((one, other) => one - other)[Math.floor(share * (times.length - 1))].toFixed(1);
  const told = (times) => `${at(times, 0.5)} ms, 95 % below ${at(times, 0.95)}, max ${at(times, 1)}`;
  console.log(`  ${what} at ${(inView * 1e-9).toPrecision(3)} ms in view: ${frames.length} frames, frame ${told(frames)}; own work ${told(own)}`);
  await settle(page);
}
