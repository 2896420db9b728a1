// Function profile: the time of each function, split into waiting and the rest; and the profile of the
// critical path.
import { barList } from "./bars.js";
import { element } from "./chart.js";
import { KINDS, WAIT } from "./palette.js";
import { lineTitle } from "./rows.js";
import { count, percent, time } from "./units.js";

/** Upper limit of bars. */
const MAX_BARS = 40;

/** @typedef {import("./source.js").Source} Source */

/** Adds up time by function: parts by kind, and the number of states. @param {Source} source @param {number[][]} calls call, kind, time, count */
function byFunction({ meta }, calls) {
  /** @type {Map<string, {kinds: number[], all: number, count: number}>} */
  const found = new Map();
  for (const [call, kind, all, number] of calls) {
    const name = call > 0 ? meta.calls[call - 1] ?? `call ${call - 1}` : kind === 0 ? "computation" : "outside MPI";
    const sum = found.get(name) ?? { kinds: [0, 0, 0, 0, 0], all: 0, count: 0 };
    sum.kinds[kind] += all;
    found.set(name, { kinds: sum.kinds, all: sum.all + all, count: sum.count + number });
  }
  return [...found].sort((one, other) => other[1].all - one[1].all).slice(0, MAX_BARS);
}

/** @param {number[]} kinds @param {number} most @returns {[string, number][]} */
function parts(kinds, most) {
  return [0, 1, 2, 3, WAIT].filter((kind) => kinds[kind] > 0).map((kind) => [`key k-${KINDS[kind]}`, kinds[kind] / most]);
}

/** The function profile. */
export class Profile {
  /** @param {import("./diagram.js").App} app @param {Source} source @param {import("./totals.js").Totals} totals */
  constructor(app, source, totals) {
    this.app = app;
    this.source = source;
    this.totals = totals;
    this.box = element("div", "statistics", { tabindex: "0", role: "region", "aria-label": `Function profile of ${source.meta.name}` });
    /** @type {import("./totals.js").Sums | null} */
    this.shown = null;
  }

  get follows() {
    return "scope";
  }

  draw() {
    const sums = this.totals.of(this.app.view.scope);
    if (sums === this.shown) return;
    this.shown = sums;
    const list = byFunction(this.source, sums.calls.map(([call, kind, number, all]) => [call, kind, all, number]));
    const [most, all] = [Math.max(1, list[0]?.[1].all ?? 1), Math.max(1, list.reduce((sum, [, each]) => sum + each.all, 0))];
    const bars = list.map(([name, sum]) => ({
      name, parts: parts(sum.kinds, most), act: name.startsWith("MPI_") ? () => this.mark(name) : undefined,
      text: `${time(sum.all)}, ${percent(sum.all / all)}${sum.kinds[WAIT] > 0 ? `, ${percent(sum.kinds[WAIT] / sum.all)} of it waiting` : ""}; ${count(sum.count)} states`,
    }));
    this.box.replaceChildren(bars.length > 0 ? barList(`Time by function${this.source.meta.functions ? " and call site" : ""}, summed over ranks`, bars) : element("p", "", {}, ["No states, or this page does not embed them."]));
  }

  /** Highlights a function, or none if it is already. @param {string} name */
  mark(name) {
    this.app.callMarked = this.app.callMarked === name ? "" : name;
    this.app.redraw();
  }
}

/** The profile of the critical path. */
export class PathProfile {
  /** @param {import("./diagram.js").App} app @param {Source} source */
  constructor(app, source) {
    this.app = app;
    this.source = source;
    this.box = element("div", "statistics", { tabindex: "0", role: "region", "aria-label": `Profile of the critical path of ${source.meta.name}` });
    this.isAsked = false;
  }

  get follows() {
    return "all";
  }

  draw() {
    if (this.isAsked) return;
    this.isAsked = true;
    this.fill().catch((error) => this.box.replaceChildren(element("p", "", {}, [String(error)])));
  }

  async fill() {
    const { source } = this;
    this.box.replaceChildren(element("p", "", {}, ["Computing…"]));
    const buffer = await source.load("profile");
    if (!buffer) return;
    const [calls, lines, onLines, span] = JSON.parse(new TextDecoder().decode(buffer));
    if (span === 0) return this.box.replaceChildren(element("p", "", {}, ["There is no critical path."]));
    const list = byFunction(source, calls.map((/** @type {number[]} */ [call, kind, all]) => [call, kind, all, 0]));
    const transit = Math.max(0, span - onLines);
    const most = Math.max(1, transit, list[0]?.[1].all ?? 1);
    const bars = list.map(([name, sum]) => ({ name, parts: parts(sum.kinds, most), text: `${time(sum.all)}, ${percent(sum.all / span)}` }));
    bars.push({ name: "messages in flight", parts: [["key transit", transit / most]], text: `${time(transit)}, ${percent(transit / span)}` });
    const { ranks, helperRanks } = source.meta;
    const longest = Math.max(1, lines[0]?.[1] ?? 1);
    const byLine = lines.map((/** @type {number[]} */ [line, all]) => ({ name: lineTitle(line, ranks, helperRanks), parts: [["key k-compute", all / longest]], text: `${time(all)}, ${percent(all / span)}` }));
    this.box.replaceChildren(barList("Critical path by function", bars, `${time(span, 4)} from the first event to the last`), barList("Critical path by rank", byLine));
  }
}
