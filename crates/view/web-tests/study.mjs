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
