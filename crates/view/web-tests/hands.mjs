// Tests of hands: fingers, the trackpad, undo, and the address that keeps the view.
import assert from "node:assert/strict";
import { LOOKS, act, open, picture, settle, view } from "./support.mjs";

const width = ({ from, to }) => to - from;

/** Returns the number that text on canvases begins with, for the time axis. */
const HOOK = () => {
  window.texts = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    if (this.canvas.className === "over") window.texts.push([text, place[0], place[1]]);
    return fillText.call(this, text, ...place);
  };
};

/** Moves fingers along lines of points: [[x, y], ...] for each finger. */
async function fingers(page, lines) {
  const client = await page.context().newCDPSession(page);
  const box = await page.locator(".over").boundingBox();
  const points = (step) => lines.map((line, id) => ({ x: box.x + line[step][0], y: box.y + line[step][1], id }));
  await client.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points(0) });
  for (let step = 1; step < lines[0].length; step++) await client.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: points(step) });
  await act(page, () => client.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] }));
}

/** Returns points from one to another in some steps. */
const line = ([x0, y0], [x1, y1], steps = 8) => Array.from({ length: steps + 1 }, (_, i) => [x0 + ((x1 - x0) * i) / steps, y0 + ((y1 - y0) * i) / steps]);

/** Tests by name. `shown` opens a new page. */
export const hands = ({ browser, shown }) => ({
  async "fingers zoom, pan and point"() {
    const { page } = await shown("halo", "", LOOKS[1]);
    const all = await view(page);
    await fingers(page, [line([180, 100], [120, 100]), line([220, 100], [280, 100])]);
    const near = await view(page);
    assert.ok(Math.abs(width(near) / width(all) - 0.25) < 0.05, `${width(near) / width(all)}`);
    await fingers(page, [line([180, 100], [100, 100]), line([260, 100], [180, 100])]);
    const moved = await view(page);
    assert.ok(moved.from > near.from && Math.abs(width(moved) / width(near) - 1) < 0.05, "two fingers pan");
    const before = await picture(page, ".plot");
    await fingers(page, [line([180, 140], [180, 80]), line([180, 180], [180, 240])]);
    assert.ok(Math.abs(width(await view(page)) / width(moved) - 1) < 0.05);
    assert.ok((await picture(page, ".plot")) !== before, "one above the other: rows grow");
    const box = await page.locator(".over").boundingBox();
    await act(page, () => page.touchscreen.tap(box.x + 200, box.y + 150));
    assert.ok(await page.locator(".tip").isVisible(), "a tap shows the tooltip");
    assert.ok(await page.locator(".details").isVisible());
    await page.close();
  },

  async "Ctrl and the wheel zoom time, Alt and the wheel zoom rows"() {
    const { page } = await shown("halo");
    const box = await page.locator(".over").boundingBox();
    const all = await view(page);
    await page.mouse.move(box.x + 400, box.y + 80);
    await page.keyboard.down("Control");
    await act(page, () => page.mouse.wheel(0, -30));
    await page.keyboard.up("Control");
    assert.ok(width(await view(page)) < 0.95 * width(all));
    const before = await view(page);
    await page.keyboard.down("Alt");
    await act(page, () => page.mouse.wheel(0, -300));
    await page.keyboard.up("Alt");
    assert.deepEqual(await view(page), before);
    await page.close();
  },

  async "zooming is undone and redone"() {
    for (const look of LOOKS) {
      const { page } = await shown("halo", "", look);
      const rest = () => page.waitForTimeout(400);
      await rest();
      const seen = [await view(page)];
      for (const key of ["w", "w", "d"]) {
        await act(page, () => page.keyboard.press(key));
        await rest();
        seen.push(await view(page));
      }
      const isAt = async (i) => assert.ok(Math.abs((await view(page)).from - seen[i].from) < 1e-6 * width(seen[0]), `view ${i}`);
      await act(page, () => page.keyboard.press("Control+z"));
      await isAt(2);
      await act(page, () => page.getByRole("button", { name: "Undo" }).click());
      await isAt(1);
      await act(page, () => page.keyboard.press("Backspace"));
      await isAt(0);
      await act(page, () => page.keyboard.press("Control+y"));
      await isAt(1);
      await page.close();
    }
  },

  async "the address keeps the view"() {
    for (const look of LOOKS) {
      const { page } = await shown("halo", "", look);
      await act(page, () => page.keyboard.press("2"));
      await act(page, () => page.getByLabel("Colours by").selectOption("function"));
      await act(page, () => page.getByRole("tab", { name: "Wait states" }).click());
      await act(page, () => page.locator(".waits button.link").first().click());
      await act(page, () => page.locator(".legend").getByRole("button", { name: "compute" }).click());
      await page.waitForFunction(() => location.hash.includes("hidden=1"), undefined, { polling: 50 });
      const other = (await open(browser, page.url(), look)).page;
      await other.waitForSelector(".details:not([hidden])");
      await settle(other);
      assert.equal(await other.textContent(".details h2"), await page.textContent(".details h2"));
      assert.equal(await picture(other, ".plot"), await picture(page, ".plot"));
      assert.equal(await other.getByRole("tab", { selected: true }).textContent(), "Wait states");
      await act(other, () => other.evaluate(() => (location.hash = "#t=100000~200000&rows=zzz&state=1~~&order=99&hidden=x&panel=nonsense")));
      assert.ok(Math.abs((await view(other)).from - 100000) < 2, "an invalid address does no harm");
      await other.close();
      await page.close();
    }
  },

  async "the time axis begins with 0, and its labels are inside"() {
    for (const look of LOOKS) {
      const { page } = await shown("halo", "", { script: HOOK, ...look });
      const labels = await page.evaluate(() => window.texts);
      const box = await page.locator(".over").boundingBox();
      assert.ok(labels.some(([text, x]) => text === "0" && x > 60 && x < 120));
      assert.ok(labels.filter(([text]) => / (us|ms)$/.test(text)).every(([, x]) => x < box.width - 10));
      await page.close();
    }
  },
});
