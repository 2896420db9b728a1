// The viewer in a browser: node browser.mjs PROGRAM FOLDER, where PROGRAM is the example `scenes` and FOLDER has what its `pages` wrote.
// With PANTO_UPDATE=1 pictures to compare with are taken anew.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { act, colours, difference, launch, open, picture, serve, settle, view } from "./support.mjs";

const [program, folder] = process.argv.slice(2);
const golden = join(dirname(fileURLToPath(import.meta.url)), "golden");
const file = (name, query = "") => pathToFileURL(join(folder, `${name}.html`)).href + query;
const browser = await launch();

/** Opens a page of its own, and holds it to what all pages must keep to. */
async function shown(name, query = "", options = {}) {
  const watched = await open(browser, file(name, query), options);
  assert.deepEqual(watched.errors, [], `${name}: errors`);
  assert.deepEqual(watched.requests.slice(1).filter((url) => !url.startsWith("data:")), [], `${name}: requests`);
  return watched;
}

const tests = {
  async "pages of all sorts load without errors or requests and draw something"() {
    for (const name of ["halo", "many", "one", "wide", "month", "nanosecond"]) {
      const { page } = await shown(name);
      const { colours: number, filled } = await colours(page, ".plot");
      assert.ok(number > 2 && filled > 0.05, `${name}: ${number} colours, ${filled} filled`);
      await page.close();
    }
  },

  async "what is missing is said"() {
    const { page } = await shown("empty");
    assert.match(await page.textContent(".warning"), /Nothing happened/);
    await page.close();
    const coarse = (await shown("coarse")).page;
    assert.match(await coarse.textContent(".warning"), /overview only/);
    await coarse.close();
  },

  async "names that look like markup stay text"() {
    const { page } = await shown("ring");
    assert.equal(await page.locator("img").count(), 0);
    assert.match(await page.textContent(".facts"), /<img src=x onerror=alert\(1\)> "ring"/);
    await act(page, () => page.keyboard.press("7"));
    assert.match(await page.textContent(".statistics"), /MPI_Send<\/script><b>/);
    assert.equal(await page.locator(".statistics b").count(), 0);
    await page.close();
  },

  async "the wheel zooms at the pointer, dragging moves, shift and dragging selects"() {
    const { page } = await shown("halo");
    const box = await page.locator(".over").boundingBox();
    const all = await view(page);
    const x = 400;
    const at = ({ from, to }) => from + ((x - 74) / (box.width - 84)) * (to - from);
    await page.mouse.move(box.x + x, box.y + 60);
    await act(page, () => page.mouse.wheel(0, -400));
    const near = await view(page);
    assert.ok(near.to - near.from < 0.6 * (all.to - all.from));
    assert.ok(Math.abs(at(near) - at(all)) < 0.01 * (near.to - near.from), "the moment at the pointer stays");
    await page.mouse.down();
    await act(page, () => page.mouse.move(box.x + x - 150, box.y + 60, { steps: 4 }));
    await page.mouse.up();
    const moved = await view(page);
    assert.ok(moved.from > near.from);
    await page.keyboard.down("Shift");
    await page.mouse.move(box.x + 300, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 500, box.y + 60, { steps: 4 });
    await act(page, () => page.mouse.up());
    await page.keyboard.up("Shift");
    const chosen = await view(page);
    assert.ok(Math.abs((chosen.to - chosen.from) / (moved.to - moved.from) - 200 / (box.width - 84)) < 0.01);
    await page.close();
  },

  async "hovering tells call, peer, bytes, tag and times"() {
    const { page } = await shown("halo");
    const box = await page.locator(".over").boundingBox();
    await act(page, () => page.mouse.move(box.x + 150, box.y + 30));
    assert.match(await page.textContent(".tip"), /rank \d+ computes.*takes.*from.*to/);
    const texts = new Set();
    await act(page, () => page.keyboard.press("w"));
    for (let [x, y] = [90, 12]; x < box.width - 20 && texts.size < 3; x += 9, y = 12 + ((y + 31) % (box.height - 60))) {
      await page.mouse.move(box.x + x, box.y + y);
      const tip = await page.evaluate(() => document.querySelector(".tip:not([hidden])")?.textContent ?? "");
      texts.add(/waits in MPI_Waitall.*waits for.*rank \d+/.test(tip) ? "wait" : /from rank \d+ to rank \d+.*size.*KiB.*class \(tag\)3.*sent.*arrived.*received/.test(tip) ? "message" : "");
    }
    assert.ok(texts.has("wait") && texts.has("message"), [...texts].join());
    await page.close();
  },

  async "the keyboard does everything"() {
    const { page } = await shown("halo");
    const width = async () => { const { from, to } = await view(page); return to - from; };
    const press = (key) => act(page, () => page.keyboard.press(key));
    const all = await width();
    for (const key of ["w", "+"]) { const before = await width(); await press(key); assert.ok((await width()) < before, key); }
    for (const key of ["s", "-"]) { const before = await width(); await press(key); assert.ok((await width()) > before, key); }
    for (let i = 0; i < 4; i++) await press("w");
    for (const key of ["d", "ArrowRight"]) { const { from } = await view(page); await press(key); assert.ok((await view(page)).from > from, key); }
    for (const key of ["a", "ArrowLeft"]) { const { from } = await view(page); await press(key); assert.ok((await view(page)).from < from, key); }
    await press("0");
    assert.ok(Math.abs((await width()) / all - 1) < 1e-9);
    await press("m");
    assert.equal(await page.getByRole("button", { name: "Messages" }).getAttribute("aria-pressed"), "false");
    await press("g");
    assert.match(await page.textContent(".legend"), /busy.*overhead.*idle/);
    await press("?");
    assert.ok(await page.locator("dialog[open]").isVisible());
    await page.keyboard.press("Escape");
    await press("/");
    assert.ok(await page.evaluate(() => document.activeElement?.getAttribute("type") === "search"));
    await page.close();
  },

  async "ranks and calls are found"() {
    const { page } = await shown("halo");
    const all = await view(page);
    await page.keyboard.press("/");
    await page.keyboard.type("waitall");
    await page.waitForSelector(".found li b");
    assert.match(await page.textContent(".found"), /MPI_Waitall waits.*times/);
    await act(page, () => page.keyboard.press("Enter"));
    const near = await view(page);
    assert.ok(near.to - near.from < 0.5 * (all.to - all.from));
    await page.keyboard.press("/");
    await page.fill("input[type=search]", "rank 11");
    assert.match(await page.textContent(".found li b"), /^rank 11$/);
    await page.fill("input[type=search]", "nonsense");
    assert.match(await page.textContent(".found"), /No rank and no call/);
    await page.close();
  },

  async "ranks are grouped, unfolded and sorted"() {
    const { page } = await shown("many");
    const plot = () => picture(page, ".plot");
    const before = await plot();
    await act(page, () => page.getByLabel("Ranks a row").selectOption({ label: "16" }));
    const grouped = await plot();
    assert.ok(grouped !== before, "grouped");
    await act(page, () => page.getByLabel("Sort by").selectOption({ label: "waiting" }));
    const sorted = await plot();
    assert.ok(sorted !== grouped, "sorted");
    const box = await page.locator(".over").boundingBox();
    await act(page, () => page.mouse.click(box.x + 40, box.y + 12));
    assert.ok((await plot()) !== sorted, "unfolded");
    await page.close();
  },

  async "every panel draws, and statistics are tables"() {
    const { page } = await shown("halo");
    for (let panel = 1; panel <= 6; panel++) {
      await act(page, () => page.keyboard.press(String(panel)));
      const found = await colours(page, ".panel canvas");
      assert.ok(found.colours > 8, `panel ${panel}: ${found.colours} colours`);
    }
    await act(page, () => page.keyboard.press("7"));
    assert.ok((await page.locator(".statistics table").count()) >= 5);
    assert.match(await page.textContent(".statistics"), /torus 4x4, 16 processors/);
    await act(page, () => page.keyboard.press("6"));
    await page.getByRole("button", { name: "Play" }).click();
    const when = await page.textContent(".when");
    await page.waitForFunction((when) => document.querySelector(".when").textContent !== when, when, { polling: 50 });
    await page.close();
  },

  async "without WebGL2 it looks the same"() {
    const gl = (await shown("halo")).page;
    const flat = (await shown("halo", "?renderer=canvas")).page;
    assert.equal(await gl.getAttribute(".panto-view", "data-renderer"), "webgl2");
    assert.equal(await flat.getAttribute(".panto-view", "data-renderer"), "canvas");
    const apart = await difference(gl, await picture(gl, ".plot"), await picture(flat, ".plot"), 1 / 8);
    assert.ok(apart < 0.03, `${apart} of all pixels differ`);
    await gl.close();
    await flat.close();
  },

  async "light and dark, as the reader wishes and by a key"() {
    const { page } = await shown("halo", "", { colorScheme: "dark" });
    const theme = () => page.getAttribute(".panto-view", "data-theme");
    assert.equal(await theme(), "dark");
    const dark = await picture(page, ".plot");
    await act(page, () => page.keyboard.press("t"));
    assert.equal(await theme(), "light");
    assert.ok((await picture(page, ".plot")) !== dark);
    await page.close();
  },

  async "two timelines have one zoom"() {
    const { page } = await shown("both");
    assert.equal(await page.locator(".pane").count(), 2);
    const pictures = () => page.evaluate(() => [...document.querySelectorAll(".plot")].map((plot) => plot.toDataURL()));
    const before = await pictures();
    assert.ok(before[0] !== before[1]);
    await act(page, () => page.keyboard.press("w"));
    (await pictures()).forEach((picture, i) => assert.ok(picture !== before[i], `diagram ${i}`));
    await page.close();
  },

  async "fragments work inside another page"() {
    const { page } = await shown("report");
    assert.equal(await page.locator(".panto-view .plot").count(), 2);
    for (const [i, selector] of [".panto-view", ".panto-view ~ .panto-view"].entries()) {
      const found = await colours(page, `${selector} .plot`);
      assert.ok(found.colours > 2, `fragment ${i}`);
    }
    await page.close();
  },

  async "a served timeline loads tiles as they are looked at"() {
    const server = await serve(program, [join(folder, "many.ptl")]);
    const { page, errors, requests } = await open(browser, server.url);
    assert.deepEqual(errors, []);
    assert.ok(requests.every((url) => url.startsWith(server.url) || url.startsWith("data:")), requests.join());
    assert.ok((await colours(page, ".plot")).filled > 0.5);
    const before = requests.length;
    for (let i = 0; i < 8; i++) await page.keyboard.press("w");
    await settle(page);
    assert.ok(requests.length > before, "finer tiles are asked for");
    assert.ok((await colours(page, ".plot")).filled > 0.5);
    assert.deepEqual(errors, []);
    await page.close();
    server.end();
  },

  async "the plot looks as it did"() {
    for (const [name, keys] of [["halo", []], ["ring", ["w", "w", "w", "w"]], ["many", ["m"]]]) {
      const { page } = await shown(name);
      for (const key of keys) await act(page, () => page.keyboard.press(key));
      const now = await picture(page, ".plot");
      const kept = join(golden, `${name}.png`);
      if (process.env.PANTO_UPDATE) {
        mkdirSync(golden, { recursive: true });
        writeFileSync(kept, Buffer.from(now.split(",")[1], "base64"));
      }
      assert.ok(existsSync(kept), `${kept} is missing; PANTO_UPDATE=1 takes it`);
      const apart = await difference(page, now, `data:image/png;base64,${readFileSync(kept).toString("base64")}`);
      if (apart >= 0.02) writeFileSync(join(folder, `${name}-now.png`), Buffer.from(now.split(",")[1], "base64"));
      assert.ok(apart < 0.02, `${name}: ${(100 * apart).toFixed(2)} % of the plot differ; see ${name}-now.png beside the page`);
      await page.close();
    }
  },
};

let failed = 0;
const only = process.env.PANTO_ONLY;
for (const [name, test] of Object.entries(tests)) {
  if (only && !name.includes(only)) continue;
  const begin = Date.now();
  try {
    await test();
    console.log(`ok      ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error instanceof Error ? error.stack : error}`);
  }
}
await browser.close();
console.log(failed === 0 ? "all browser tests passed" : `${failed} browser tests failed`);
process.exit(failed === 0 ? 0 : 1);
