// Tests of the rendering: both renderers, moving slices, themes, panels, and golden images.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { LOOKS, act, colours, difference, open as openPage, picture, serve, settle } from "./support.mjs";

const golden = join(dirname(fileURLToPath(import.meta.url)), "golden");

/** Tests by name. `shown` opens a new page. */
export const looks = ({ browser, shown, program, folder }) => ({
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

  async "profiles, durations, concurrency, Kiviat, meter and queues draw"() {
    const open = (page, name) => act(page, () => page.getByRole("tab", { name, exact: true }).click());
    for (const look of LOOKS) {
      const { page } = await shown("halo", "", look);
      await open(page, "Profile");
      assert.match(await page.textContent(".panel"), /Time by function.*computation.*MPI_Waitall.*of it waiting; \d+ states.*MPI_Isend/);
      await act(page, () => page.locator(".bars").getByRole("button", { name: "MPI_Waitall" }).click());
      await open(page, "Durations");
      await act(page, () => page.getByLabel("Function").selectOption({ label: "MPI_Waitall: wait" }));
      assert.match(await page.textContent(".panel .what"), /^225 states, .* on average, at most 90.8 us$/);
      for (const name of ["Durations", "Concurrency", "Kiviat", "Processor queues"]) {
        await open(page, name);
        const found = await colours(page, ".panel canvas");
        assert.ok(found.colours > 8, `${name}: ${found.colours} colours`);
      }
      await open(page, "Meter");
      assert.match(await page.textContent(".panel"), /messages in flight.*of the maximum.*bytes arrived, not received/);
      await open(page, "Path profile");
      await page.waitForSelector(".bars:nth-of-type(2)");
      assert.match(await page.textContent(".panel"), /Critical path by function.*computation.*messages in flight.*Critical path by rank.*rank \d+/);
      await page.close();
    }
  },

  async "queues of processors and the path's profile are the same from a server"() {
    const { page } = await shown("halo");
    const server = await serve(program, [join(folder, "halo.ptl")]);
    const served = (await openPage(browser, server.url)).page;
    const seen = [];
    for (const each of [page, served]) {
      const box = await each.locator(".over").boundingBox();
      await act(each, () => each.getByRole("tab", { name: "Processor queues" }).click());
      await act(each, () => each.mouse.click(box.x + 0.3 * box.width, box.y + 100));
      await act(each, () => each.keyboard.press("Escape"));
      const queues = await picture(each, ".panel canvas");
      await act(each, () => each.getByRole("tab", { name: "Path profile" }).click());
      await each.waitForSelector(".bars");
      seen.push([queues, await each.textContent(".panel")]);
    }
    assert.ok((await difference(page, seen[0][0], seen[1][0])) < 0.01);
    assert.equal(seen[0][1], seen[1][1]);
    await served.close();
    server.end();
    await page.close();
  },

  async "the panel is resized by dragging and by keys"() {
    for (const look of LOOKS) {
      const { page } = await shown("halo", "", look);
      const height = async () => (await page.locator(".bottom").boundingBox()).height;
      const before = await height();
      const edge = await page.locator(".resize").boundingBox();
      await page.mouse.move(edge.x + edge.width / 2, edge.y + 4);
      await page.mouse.down();
      await page.mouse.move(edge.x + edge.width / 2, edge.y - 56, { steps: 3 });
      await act(page, () => page.mouse.up());
      assert.ok(Math.abs((await height()) - before - 60) < 2);
      await page.locator(".resize").focus();
      await act(page, () => page.keyboard.press("ArrowDown"));
      assert.ok(Math.abs((await height()) - before - 36) < 2);
      await act(page, () => page.locator(".resize").dblclick());
      assert.ok(Math.abs((await height()) - before) < 2);
      await page.close();
    }
  },

  async "both renderers draw the same"() {
    for (const name of ["halo", "many"]) {
      const gl = (await shown(name, "?renderer=webgl2")).page;
      const flat = (await shown(name)).page;
      assert.equal(await gl.getAttribute(".panto-view", "data-renderer"), "webgl2");
      assert.equal(await flat.getAttribute(".panto-view", "data-renderer"), "canvas", "a software WebGL renderer is not used");
      const apart = await difference(gl, await picture(gl, ".plot"), await picture(flat, ".plot"), 1 / 8);
      assert.ok(apart < 0.02, `${name}: ${apart} of all pixels differ`);
      await gl.close();
      await flat.close();
    }
  },

  async "bars carry names, and the legend filters"() {
    const script = () => {
      window.texts = new Set();
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        window.texts.add(text);
        return fillText.call(this, text, ...place);
      };
    };
    for (const look of LOOKS) {
      const { page } = await shown("ring", "", { script, ...look });
      const written = () => page.evaluate(() => [...window.texts]);
      assert.ok(!(await written()).includes("MPI_Recv"), "there is no room");
      for (let i = 0; i < 9; i++) await act(page, () => page.keyboard.press("w"));
      assert.ok((await written()).includes("MPI_Recv"));
      const legend = page.locator(".legend");
      const all = await picture(page, ".plot");
      const wait = legend.getByRole("button", { name: "wait", exact: true });
      await act(page, () => wait.click());
      assert.equal(await wait.getAttribute("aria-pressed"), "false");
      const without = await picture(page, ".plot");
      assert.ok((await difference(page, all, without)) > 0.1, "waits are hidden");
      await act(page, () => wait.click({ modifiers: ["Shift"] }));
      assert.equal(await legend.getByRole("button", { name: "compute", exact: true }).getAttribute("aria-pressed"), "false");
      await act(page, () => wait.click({ modifiers: ["Shift"] }));
      assert.ok((await difference(page, all, await picture(page, ".plot"))) < 0.001, "everything is shown again");
      await act(page, () => legend.getByRole("button", { name: "message", exact: true }).click());
      assert.equal(await page.getByRole("button", { name: "Messages" }).getAttribute("aria-pressed"), "false");
      await act(page, () => page.getByLabel("Colours by").selectOption("function"));
      assert.match(await legend.textContent(), /compute.*MPI_Recv.*MPI_Send.*several functions/);
      assert.ok((await difference(page, all, await picture(page, ".plot"))) > 0.3, "functions have other colours");
      await page.close();
    }
  },

  async "both renderers colour by function and filter alike"() {
    for (const name of ["halo", "many"]) {
      const pages = [(await shown(name, "?renderer=webgl2")).page, (await shown(name)).page];
      for (const page of pages) {
        await act(page, () => page.getByLabel("Colours by").selectOption("function"));
        await act(page, () => page.locator(".legend").getByRole("button", { name: "MPI_Isend" }).click());
        await act(page, () => page.locator(".legend").getByRole("button", { name: "compute" }).click());
      }
      const apart = await difference(pages[0], await picture(pages[0], ".plot"), await picture(pages[1], ".plot"), 1 / 8);
      assert.ok(apart < 0.02, `${name}: ${apart} of all pixels differ`);
      for (const page of pages) await page.close();
    }
  },

  async "a lost WebGL context falls back to the canvas"() {
    const script = () => {
      const { getContext } = HTMLCanvasElement.prototype;
      HTMLCanvasElement.prototype.getContext = function (kind, ...options) {
        const context = getContext.call(this, kind, ...options);
        if (kind === "webgl2") window.card = context;
        return context;
      };
    };
    const { page } = await shown("halo", "?renderer=webgl2", { script });
    const before = await picture(page, ".plot");
    await page.evaluate(() => window.card.getExtension("WEBGL_lose_context").loseContext());
    await page.waitForSelector("[data-renderer=canvas]");
    await settle(page);
    assert.ok((await difference(page, before, await picture(page, ".plot"), 1 / 8)) < 0.02);
    await page.close();
  },

  async "moved slices look like freshly drawn ones"() {
    for (const query of ["", "?renderer=webgl2"]) {
      const { page } = await shown("many", query);
      for (const key of ["w", "w", "w", "Shift+D", "d", "Shift+D", "d"]) await act(page, () => page.keyboard.press(key));
      const moved = await picture(page, ".plot");
      // Changing the theme and back redraws everything.
      for (const key of ["t", "t"]) await act(page, () => page.keyboard.press(key));
      const apart = await difference(page, moved, await picture(page, ".plot"), 1 / 4);
      assert.ok(apart < 0.002, `${apart} of all pixels differ`);
      await page.close();
    }
  },

  async "a move draws only what comes into view"() {
    const { page } = await shown("many");
    for (const key of ["w", "w"]) await act(page, () => page.keyboard.press(key));
    await page.evaluate(() => {
      window.drawn = 0;
      const { putImageData } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.putImageData = function (image, ...place) {
        window.drawn += image.width === 192 ? 1 : 0;
        return putImageData.call(this, image, ...place);
      };
    });
    const drawn = () => page.evaluate(() => window.drawn);
    const box = await page.locator(".over").boundingBox();
    await page.mouse.move(box.x + 600, box.y + 100);
    await page.mouse.down();
    await act(page, () => page.mouse.move(box.x + 400, box.y + 100, { steps: 20 }));
    await page.mouse.up();
    const moved = await drawn();
    assert.ok(moved >= 1 && moved <= 2, `${moved} slices for 200 pixels`);
    await act(page, () => page.keyboard.press("w"));
    assert.ok((await drawn()) - moved >= 5, "another zoom needs other slices");
    await page.close();
  },

  async "the plot is never empty while the zoom changes"() {
    const { page } = await shown("many");
    const box = await page.locator(".over").boundingBox();
    await page.mouse.move(box.x + 400, box.y + 100);
    for (let i = 0; i < 12; i++) {
      await page.mouse.wheel(0, i < 6 ? -100 : 60);
      assert.ok((await colours(page, ".plot")).filled > 0.5, `after ${i + 1} turns of the wheel`);
    }
    await page.close();
  },

  async "the theme follows the browser and a key"() {
    const { page } = await shown("halo", "", { colorScheme: "dark" });
    const theme = () => page.getAttribute(".panto-view", "data-theme");
    assert.equal(await theme(), "dark");
    const dark = await picture(page, ".plot");
    await act(page, () => page.keyboard.press("t"));
    assert.equal(await theme(), "light");
    assert.ok((await picture(page, ".plot")) !== dark);
    await page.close();
  },

  async "two timelines share the zoom"() {
    const { page } = await shown("both");
    assert.equal(await page.locator(".pane").count(), 2);
    const pictures = () => page.evaluate(() => [...document.querySelectorAll(".plot")].map((plot) => plot.toDataURL()));
    const before = await pictures();
    assert.ok(before[0] !== before[1]);
    await act(page, () => page.keyboard.press("w"));
    (await pictures()).forEach((picture, i) => assert.ok(picture !== before[i], `diagram ${i}`));
    await page.close();
  },

  async "the plot matches the golden images"() {
    for (const [name, keys] of [["halo", []], ["ring", ["w", "w", "w", "w"]], ["many", ["m"]]]) {
      const { page } = await shown(name);
      for (const key of keys) await act(page, () => page.keyboard.press(key));
      const now = await picture(page, ".plot");
      const kept = join(golden, `${name}.png`);
      if (process.env.PANTO_UPDATE) {
        mkdirSync(golden, { recursive: true });
        writeFileSync(kept, Buffer.from(now.split(",")[1], "base64"));
      }
      assert.ok(existsSync(kept), `${kept} is missing; PANTO_UPDATE=1 creates it`);
      const apart = await difference(page, now, `data:image/png;base64,${readFileSync(kept).toString("base64")}`);
      if (apart >= 0.02) writeFileSync(join(folder, `${name}-now.png`), Buffer.from(now.split(",")[1], "base64"));
      assert.ok(apart < 0.02, `${name}: ${(100 * apart).toFixed(2)} % of the plot differ; see ${name}-now.png beside the page`);
      await page.close();
    }
  },
});
