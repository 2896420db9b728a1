// Tests of studying a run: wait states, details of states and messages, links between them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { LOOKS, act, open, serve, view } from "./support.mjs";

/** Returns the facts of the details by name. */
const facts = (page) => page.evaluate(() => {
  const names = [...document.querySelectorAll(".details dt")].map((name) => name.textContent);
  return Object.fromEntries(names.map((name, i) => [name, document.querySelectorAll(".details dd")[i].textContent]));
});

const title = (page) => page.textContent(".details h2");

/** Follows a link of the details; returns the new title. */
async function follow(page, text) {
  const before = await title(page);
  await page.locator(".details").getByRole("button", { name: text }).first().click();
  await page.waitForFunction((before) => document.querySelector(".details h2").textContent !== before, before, { polling: 20 });
  return title(page);
}

/** Clicks on rank 5 of `ranks` at a share of the width, where no message is near. */
async function choose(page, ranks, share) {
  const box = await page.locator(".over").first().boundingBox();
  await act(page, () => page.mouse.click(box.x + 74 + share * (box.width - 84), box.y + (box.height - 24) * (5.5 / ranks)));
}

/** Walks along messages and neighbours; returns the titles. */
async function walk(page) {
  await act(page, () => page.getByRole("tab", { name: "Wait states" }).click());
  await act(page, () => page.locator(".waits button.link").first().click());
  const titles = [await title(page)];
  titles.push(await follow(page, /^received/));
  titles.push(await follow(page, /^Send on/));
  await page.locator(".details").getByRole("button", { name: /^sent/ }).first().waitFor();
  titles.push(await follow(page, /^sent/));
  titles.push(await follow(page, /^Receive on/));
  return titles;
}

/** Selects from one share of the plot to another by dragging. */
async function select(page, from, to) {
  const box = await page.locator(".over").boundingBox();
  const x = (share) => box.x + 74 + share * (box.width - 84);
  await page.mouse.move(x(from), box.y + 40);
  await page.mouse.down();
  await page.mouse.move(x(to), box.y + 60, { steps: 4 });
  await act(page, () => page.mouse.up());
}

/** Returns a table of the statistics by its caption: rows of cells. */
const rowsOf = (page, caption) => page.evaluate((caption) => {
  const found = [...document.querySelectorAll(".statistics table")].find((table) => table.caption.textContent.startsWith(caption));
  return [...(found?.tBodies[0].rows ?? [])].map((row) => [...row.cells].map((cell) => cell.textContent));
}, caption);

/** Tests by name. `shown` opens a new page. */
export const study = ({ browser, shown, program, folder }) => ({
  async "wait states are ranked, and choosing one goes there"() {
    for (const look of LOOKS) {
      const { page } = await shown("halo", "", look);
      await act(page, () => page.getByRole("tab", { name: "Wait states" }).click());
      assert.match(await page.textContent(".waits"), /late partner.*MPI_Waitall.*rank \d+ \(.*Longest: late partner in MPI_Waitall/);
      const all = await view(page);
      const lengths = [];
      for (const row of [0, 1]) {
        const listed = await page.locator(".waits table").nth(1).locator("tbody tr").nth(row).locator("td").allTextContents();
        await act(page, () => page.locator(".waits table").nth(1).locator("button").nth(row).click());
        assert.equal(await title(page), `${listed[0]}: wait in MPI_Waitall`);
        const shows = await facts(page);
        assert.equal(shows["waits for"], listed[3]);
        const near = await view(page);
        lengths.push(near.to - near.from);
        assert.ok(lengths[row] < 0.1 * (all.to - all.from), "zoomed to it");
        await act(page, () => page.getByRole("button", { name: "Close the details" }).click());
      }
      assert.ok(lengths[0] > lengths[1], "the longest first");
      await page.close();
    }
    const { page } = await shown("empty");
    await act(page, () => page.getByRole("tab", { name: "Wait states" }).click());
    assert.match(await page.textContent(".waits"), /No rank waits/);
    await page.close();
  },

  async "a click shows details, and the neighbours of a state"() {
    for (const look of LOOKS) {
      const { page } = await shown("halo", "", look);
      await choose(page, 16, 0.06);
      assert.match(await title(page), /^rank 5: /);
      const first = await facts(page);
      assert.ok(first.call && first.kind && first.duration && first.start && first.end);
      await page.locator(".details").getByRole("button", { name: "Next" }).click();
      await page.waitForFunction((start) => document.querySelector(".details").textContent.includes(start) === false, `start${first.start}`, { polling: 20 });
      const next = await facts(page);
      assert.equal(next.start.split(" ")[0].slice(0, 6), first.end.split(" ")[0].slice(0, 6), "states of a rank follow each other");
      await page.waitForSelector(".details button[aria-label^=Previous]:not([disabled])");
      await page.keyboard.press(",");
      await page.waitForFunction((start) => document.querySelector(".details").textContent.includes(start), `start${first.start}`, { polling: 20 });
      await act(page, () => page.keyboard.press("Escape"));
      assert.ok(await page.locator(".details").isHidden());
      await page.close();
    }
  },

  async "a selection has totals, and panels say what they show"() {
    const scope = (page) => page.textContent(".scope span");
    for (const look of LOOKS) {
      const { page } = await shown("halo", "", look);
      await act(page, () => page.getByRole("tab", { name: "Statistics" }).click());
      assert.equal(await scope(page), "Whole timeline");
      const all = await rowsOf(page, "Time by function");
      const waits = all.find(([call, state]) => call === "MPI_Waitall" && state === "wait");
      assert.equal(waits[2], "225");
      await act(page, () => page.getByRole("button", { name: "Select", exact: true }).click());
      await select(page, 0.25, 0.5);
      assert.match(await scope(page), /^Selection, .* from /);
      const part = (await rowsOf(page, "Time by function")).find(([call, state]) => call === "MPI_Waitall" && state === "wait");
      assert.ok(Number(part[2]) < 100 && Number(part[2]) > 20, `${part}`);
      assert.equal((await rowsOf(page, "Time by rank")).length, 16);
      assert.ok((await rowsOf(page, "Partners")).length > 10);
      const [from, to] = (await page.getAttribute(".panto-view", "data-selection")).split(" ").map(Number);
      const kinds = await rowsOf(page, "Time by state");
      const shares = kinds.reduce((sum, [, , share]) => sum + parseFloat(share), 0);
      assert.ok(Math.abs(shares - 100) < 1.5, `${shares} % in all`);
      await act(page, () => page.getByRole("button", { name: "Zoom to the selection" }).click());
      const near = await view(page);
      assert.ok(near.from < from && near.to > to && near.to - near.from < 1.2 * (to - from));
      for (const [tab, text] of [["Ranks", /^Selection/], ["Matrix", /^Selection/], ["Utilisation", /^Time in view/], ["Topology", /^At the time cursor/], ["Wait states", /^Whole timeline/]]) {
        await act(page, () => page.getByRole("tab", { name: tab }).click());
        assert.match(await scope(page), text, tab);
      }
      await act(page, () => page.getByRole("button", { name: "Clear the selection" }).click());
      await act(page, () => page.getByRole("tab", { name: "Statistics" }).click());
      assert.match(await scope(page), /^Time in view, /);
      await page.close();
    }
  },

  async "a server adds up the same totals as a page"() {
    const { page } = await shown("halo");
    const server = await serve(program, [join(folder, "halo.ptl")]);
    const served = (await open(browser, server.url)).page;
    for (const each of [page, served]) {
      await act(each, () => each.keyboard.press("7"));
      await act(each, () => each.keyboard.press("e"));
      await select(each, 0.31, 0.44);
    }
    for (const caption of ["Time by state", "Time by function", "Time by rank", "Messages sent", "Partners", "Message sizes"]) {
      const [one, other] = [await rowsOf(page, caption), await rowsOf(served, caption)];
      assert.ok(one.length > 0, caption);
      assert.deepEqual(one, other, caption);
    }
    await served.close();
    server.end();
    await page.close();
    const coarse = (await shown("coarse")).page;
    await act(coarse, () => coarse.keyboard.press("7"));
    assert.ok((await rowsOf(coarse, "Time by function")).length >= 3, "totals of the whole are known");
    await act(coarse, () => coarse.keyboard.press("e"));
    await select(coarse, 0.31, 0.44);
    assert.equal((await rowsOf(coarse, "Time by state")).length, 6);
    assert.match(await coarse.textContent(".statistics"), /does not embed every state/);
    await coarse.close();
  },

  async "messages link their send and receive"() {
    const { page } = await shown("halo");
    const titles = await walk(page);
    const [, waiting] = titles[0].match(/^rank (\d+): wait in MPI_Waitall$/);
    const [, sender] = titles[1].match(new RegExp(`^message from rank (\\d+) to rank ${waiting}$`));
    assert.equal(titles[2], `rank ${sender}: message overhead in MPI_Isend`);
    assert.equal(titles[3], titles[1], "the send leads back to its message");
    assert.equal(titles[4], `rank ${waiting}: message overhead in MPI_Waitall`);
    const server = await serve(program, [join(folder, "halo.ptl")]);
    const served = (await open(browser, server.url)).page;
    assert.deepEqual(await walk(served), titles, "a server returns the same as a page that embeds everything");
    await served.close();
    server.end();
    await page.close();
    const measured = (await shown("measured")).page;
    assert.deepEqual(await walk(measured), [
      "rank 1: wait in MPI_Recv", "message from rank 0 to rank 1", "rank 0: message overhead in MPI_Send", "message from rank 0 to rank 1",
      "rank 1: message overhead in MPI_Recv",
    ]);
    await measured.close();
    const both = (await shown("both")).page;
    await act(both, () => both.keyboard.press("m"));
    await choose(both, 8, 0.5);
    const before = await title(both);
    await follow(both, "The same moment in slow.ptl").catch(() => {});
    assert.match(await title(both), new RegExp(`^${before.split(":")[0]}: `), "the same rank of the other timeline");
    await both.close();
    const coarse = (await shown("coarse")).page;
    await act(coarse, () => coarse.getByRole("tab", { name: "Wait states" }).click());
    await act(coarse, () => coarse.locator(".waits button.link").first().click());
    assert.match(await coarse.textContent(".details"), /does not embed every state/);
    await coarse.close();
  },
});
