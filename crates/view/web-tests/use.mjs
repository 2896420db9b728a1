// Tests of the interaction: opening, panning, pointing, typing, searching.
import assert from "node:assert/strict";
import { join } from "node:path";
import { act, colours, open, picture, serve, settle, view } from "./support.mjs";

/** Searches for a call and goes to its longest occurrence. */
async function search(page, text) {
  await page.keyboard.press("/");
  await page.keyboard.type(text);
  await page.waitForSelector(".found li b");
  await act(page, () => page.keyboard.press("Enter"));
}

/** Steps through search results and back; returns their times. */
async function goThrough(page) {
  const place = async () => (await page.textContent(".place")).replaceAll(",", "").match(/^(\d+) of (\d+)$/).slice(1).map(Number);
  // Times in the tiles of a page are rounded.
  const cursor = async () => Number(await page.getAttribute(".panto-view", "data-cursor")).toPrecision(6);
  const press = async (key) => {
    const before = await page.textContent(".place");
    await page.keyboard.press(key);
    await page.waitForFunction((before) => document.querySelector(".place").textContent !== before, before, { polling: 20 });
    await settle(page);
  };
  const [first, all] = await place();
  const moments = [await cursor()];
  for (const key of ["n", "Enter", "n"]) {
    await press(key);
    moments.push(await cursor());
  }
  assert.deepEqual(await place(), [((first + 2) % all) + 1, all]);
  for (const key of ["Shift+N", "Shift+Enter", "Shift+N"]) await press(key);
  assert.deepEqual(await place(), [first, all]);
  assert.equal(await cursor(), moments[0]);
  return { first, all, moments };
}

/** Tests by name. `shown` opens a new page. */
export const use = ({ browser, shown, program, folder }) => ({
  async "all pages load without errors or requests and draw something"() {
    for (const name of ["halo", "many", "one", "wide", "month", "nanosecond"]) {
      const { page } = await shown(name);
      const { colours: number, filled } = await colours(page, ".plot");
      assert.ok(number > 2 && filled > 0.05, `${name}: ${number} colours, ${filled} filled`);
      await page.close();
    }
  },

  async "missing detail is announced"() {
    const { page } = await shown("empty");
    assert.match(await page.textContent(".warning"), /This timeline is empty/);
    await page.close();
    const coarse = (await shown("coarse")).page;
    assert.match(await coarse.textContent(".warning"), /only an overview/);
    await coarse.close();
    const folded = (await shown("folded")).page;
    assert.match(await folded.textContent(".warning"), /groups of 128 that cannot be expanded.*panto view wide\.ptl/);
    await folded.close();
  },

  async "single ranks of a hundred thousand can be shown in a page"() {
    const { page } = await shown("wide");
    assert.equal(await page.locator(".warning").count(), 0);
    await search(page, "rank 54321");
    const box = await page.locator(".over").boundingBox();
    await act(page, () => page.mouse.move(box.x + 150, box.y + (box.height - 24) / 2));
    assert.match(await page.textContent(".tip"), /rank 54321: compute.*duration1\.321 us/);
    await page.close();
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

  async "the wheel zooms at the pointer, dragging pans, shift and dragging selects"() {
    const { page } = await shown("halo");
    const box = await page.locator(".over").boundingBox();
    const all = await view(page);
    const x = 400;
    const at = ({ from, to }) => from + ((x - 74) / (box.width - 84)) * (to - from);
    await page.mouse.move(box.x + x, box.y + 60);
    await act(page, () => page.mouse.wheel(0, -400));
    const near = await view(page);
    assert.ok(near.to - near.from < 0.6 * (all.to - all.from));
    assert.ok(Math.abs(at(near) - at(all)) < 0.01 * (near.to - near.from), "the time at the pointer stays");
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
    assert.deepEqual(await view(page), moved, "a selection does not zoom");
    await act(page, () => page.keyboard.press("f"));
    const chosen = await view(page);
    assert.ok(Math.abs((chosen.to - chosen.from) / (moved.to - moved.from) - (1.1 * 200) / (box.width - 84)) < 0.01, "F zooms to it");
    await page.close();
  },

  async "tooltips show call, peer, bytes, tag and times"() {
    const { page } = await shown("halo");
    const box = await page.locator(".over").boundingBox();
    await act(page, () => page.mouse.move(box.x + 150, box.y + 30));
    assert.match(await page.textContent(".tip"), /rank \d+: compute.*duration.*start.*end/);
    const texts = new Set();
    // The first exchange of messages.
    await page.mouse.move(box.x + 0.175 * box.width, box.y + 30);
    for (let i = 0; i < 5; i++) await act(page, () => page.keyboard.press("w"));
    for (let [x, y] = [90, 12]; x < box.width - 20 && texts.size < 3; x += 5, y = 12 + ((y + 31) % (box.height - 60))) {
      await page.mouse.move(box.x + x, box.y + y);
      const tip = await page.evaluate(() => document.querySelector(".tip:not([hidden])")?.textContent ?? "");
      texts.add(/wait in MPI_Waitall.*waits for.*rank \d+/.test(tip) ? "wait" : /from rank \d+ to rank \d+.*size.*KiB.*class \(tag\)3.*sent.*arrived.*received/.test(tip) ? "message" : "");
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
    await search(page, "waitall");
    assert.match(await page.textContent(".found"), /MPI_Waitall: wait.*times/);
    const near = await view(page);
    assert.ok(near.to - near.from < 0.5 * (all.to - all.from));
    const inside = await goThrough(page);
    const server = await serve(program, [join(folder, "halo.ptl")]);
    const served = (await open(browser, server.url)).page;
    await search(served, "waitall");
    assert.deepEqual(await goThrough(served), inside, "a server returns the same as a page that embeds everything");
    await served.close();
    server.end();
    await page.keyboard.press("/");
    await page.fill("input[type=search]", "rank 11");
    assert.match(await page.textContent(".found li b"), /^rank 11$/);
    await page.fill("input[type=search]", "nonsense");
    assert.match(await page.textContent(".found"), /No matching rank or call/);
    await page.close();
    const coarse = (await shown("coarse")).page;
    await search(coarse, "waitall");
    assert.match(await coarse.textContent(".place"), /^longest of [\d,]+$/, "this page does not embed single states");
    await coarse.close();
    const two = (await shown("nanosecond")).page;
    await search(two, "compute");
    const { moments } = await goThrough(two);
    assert.equal(moments[0], moments[2], "around the end");
    await two.close();
  },

  async "ranks are grouped, expanded and sorted"() {
    const { page } = await shown("many");
    const plot = () => picture(page, ".plot");
    const before = await plot();
    await act(page, () => page.getByLabel("Ranks per row").selectOption({ label: "16" }));
    const grouped = await plot();
    assert.ok(grouped !== before, "grouped");
    await act(page, () => page.getByLabel("Sort by").selectOption({ label: "waiting" }));
    const sorted = await plot();
    assert.ok(sorted !== grouped, "sorted");
    const box = await page.locator(".over").boundingBox();
    await act(page, () => page.mouse.click(box.x + 40, box.y + 12));
    assert.ok((await plot()) !== sorted, "expanded");
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

  async "a served timeline loads tiles on demand"() {
    const server = await serve(program, [join(folder, "many.ptl")]);
    const { page, errors, requests } = await open(browser, server.url);
    assert.deepEqual(errors, []);
    assert.ok(requests.every((url) => url.startsWith(server.url) || url.startsWith("data:")), requests.join());
    assert.ok((await colours(page, ".plot")).filled > 0.5);
    const before = requests.length;
    for (let i = 0; i < 8; i++) await page.keyboard.press("w");
    await settle(page);
    assert.ok(requests.length > before, "finer tiles are requested");
    assert.ok((await colours(page, ".plot")).filled > 0.5);
    assert.deepEqual(errors, []);
    await page.close();
    server.end();
  },
});
