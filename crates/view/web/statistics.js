// Statistics as tables, which are also accessible without the diagrams: of the selection, of the time
// in view, or of the whole timeline.
import { element, table } from "./chart.js";
import { matrix } from "./gather.js";
import { KINDS, LABELS, WAIT } from "./palette.js";
import { byKind } from "./totals.js";
import { bytes, count, percent, time } from "./units.js";

/** Upper limits of calls, ranks and pairs listed. */
const [MAX_CALLS, MAX_RANKS, MAX_PAIRS] = [40, 40, 20];

/** @typedef {import("./totals.js").Sums} Sums */
/** @typedef {import("./source.js").Source} Source */

/** The statistics panel. */
export class Statistics {
  /** @param {import("./diagram.js").App} app @param {Source} source @param {import("./totals.js").Totals} totals */
  constructor(app, source, totals) {
    this.app = app;
    this.source = source;
    this.totals = totals;
    this.facts = facts(source.meta);
    this.box = element("div", "statistics", { tabindex: "0", role: "region", "aria-label": `Statistics of ${source.meta.name}` }, []);
    /** @type {Sums | null} */
    this.shown = null;
  }

  /** What the panel shows: totals of an interval. */
  get follows() {
    return "scope";
  }

  draw() {
    const { scope } = this.app.view;
    const sums = this.totals.of(scope);
    if (sums === this.shown) return;
    this.shown = sums;
    const { source } = this;
    const length = Math.min(scope.to, source.meta.span) - scope.from;
    const tables = [kinds(source, sums, length), calls(source, sums)];
    if (source.meta.functions && sums.calls.length > 0) tables.push(sites(source.meta, sums));
    if (sums.lines.length > 1) tables.push(ranks(source, sums));
    if (source.meta.messages > 0) tables.push(messages(source.meta, sums), pairs(source, scope), sizes(sums));
    this.box.replaceChildren(...tables, this.facts);
  }
}

/** @param {import("./source.js").Meta} meta */
function facts(meta) {
  const rows = [
    ["ranks", count(meta.ranks)], ["helpers", count(meta.lines - meta.ranks)], ["time", time(meta.span, 5)], ["states", count(meta.states)],
    ["messages", count(meta.messages)], ["critical path", `${count(meta.path.parts)} segments, ${time(meta.path.time, 4)} of work`],
    ["topology", meta.topology.text], ...meta.facts.filter(([name]) => name !== "topology"),
  ];
  const made = table("The whole timeline", ["fact", "value"], rows);
  made.className = "facts-table";
  return made;
}

/** @param {Source} source @param {Sums} sums @param {number} length */
function kinds(source, sums, length) {
  const lines = Math.max(1, source.meta.lines);
  const all = Math.max(1, lines * length);
  const found = byKind(sums);
  const isSingle = sums.group === 0 && sums.lines.length > 0;
  const rows = KINDS.map((_, kind) => {
    const each = isSingle ? sums.lines.map((line) => line[kind]) : [];
    const [least, most] = each.length > 0 ? [each.reduce((one, other) => Math.min(one, other)), each.reduce((one, other) => Math.max(one, other))] : [NaN, NaN];
    return [LABELS[kind], time(found[kind]), percent(found[kind] / all), time(found[kind] / lines), isSingle ? time(least) : "", isSingle ? time(most) : ""];
  });
  const idle = Math.max(0, all - found.reduce((sum, value) => sum + value, 0));
  rows.push(["no state", time(idle), percent(idle / all), time(idle / lines), "", ""]);
  return table("Time by state", ["state", "total", "share", "mean per rank", "min", "max"], rows);
}

/** @param {Source} source @param {Sums} sums */
function calls({ meta }, sums) {
  if (sums.calls.length === 0 && sums.kinds) return element("p", "", {}, [`This page does not embed every state; run "panto view ${meta.name}" for totals by function and rank.`]);
  return table("Time by function", ["call", "state", "count", "total", "mean", "longest"], callRows(meta.functions ?? meta.calls, sums.calls));
}

/** @param {import("./source.js").Meta} meta @param {Sums} sums */
function sites(meta, sums) {
  const called = sums.calls.filter(([call]) => call > 0 && meta.calls[call - 1] !== meta.functions?.[call - 1]);
  return table("Time by call site", ["call site", "state", "count", "total", "mean", "longest"], callRows(meta.calls, called));
}

/** Adds up calls of the same name and kind. @param {string[]} names @param {number[][]} calls */
function callRows(names, calls) {
  /** @type {Map<string, {name: string, kind: number, number: number, all: number, longest: number}>} */
  const found = new Map();
  for (const [call, kind, number, all, longest] of calls) {
    const name = call > 0 ? names[call - 1] ?? `call ${call - 1}` : "outside MPI";
    const sum = found.get(`${name}/${kind}`) ?? { name, kind, number: 0, all: 0, longest: 0 };
    found.set(`${name}/${kind}`, { name, kind, number: sum.number + number, all: sum.all + all, longest: Math.max(sum.longest, longest) });
  }
  const sorted = [...found.values()].sort((one, other) => other.all - one.all).slice(0, MAX_CALLS);
  return sorted.map(({ name, kind, number, all, longest }) => [name, LABELS[kind], count(number), time(all), number > 0 ? time(all / number) : "", time(longest)]);
}

/** @param {Source} source @param {Sums} sums */
function ranks({ meta }, { lines, group }) {
  const name = (/** @type {number} */ index) => (group > 0 ? `${index * 2 ** group} to ${Math.min(meta.lines, (index + 1) * 2 ** group) - 1}` : index < meta.ranks ? String(index) : `helper of ${meta.helperRanks[index - meta.ranks] ?? "?"}`);
  const sorted = lines.map((sums, index) => ({ sums, index })).sort((one, other) => other.sums[WAIT] - one.sums[WAIT] || one.index - other.index).slice(0, MAX_RANKS);
  const rows = sorted.map(({ sums, index }) => [name(index), time(sums[0]), time(sums[1] + sums[2] + sums[3]), time(sums[WAIT]), bytes(sums[6]), bytes(sums[8])]);
  const which = lines.length > MAX_RANKS ? `, the ${MAX_RANKS} that wait most` : "";
  return table(`Time by rank${which}`, ["rank", "compute", "overhead", "wait", "bytes sent", "bytes received"], rows);
}

/** @param {import("./source.js").Meta} meta @param {Sums} sums */
function messages(meta, sums) {
  const rows = sums.messageKinds.flatMap(([number, sum], kind) =>
    number > 0 ? [[sums.kinds ? "all" : meta.messageKinds[kind], count(number), bytes(sum), bytes(sum / number)]] : []);
  const all = sums.messageKinds.reduce((all, [number]) => all + number, 0) || 1;
  if (!sums.kinds) rows.push(["in flight, mean", time(sums.travel / all), "", ""], ["unreceived, mean", time(sums.kept / all), "", ""]);
  return table("Messages sent", ["kind", "count", "bytes", "mean size"], rows);
}

/** @param {Source} source @param {import("./totals.js").Scope} scope */
function pairs(source, { from, to }) {
  const found = matrix(source, from, to + 1);
  const name = (/** @type {number} */ index) => (found.group > 0 ? `${index * 2 ** found.group}…` : String(index));
  const cells = Array.from(found.bytes.keys()).filter((cell) => found.counts[cell] > 0.5);
  cells.sort((one, other) => found.bytes[other] - found.bytes[one] || one - other);
  const rows = cells.slice(0, MAX_PAIRS).map((cell) => [
    name(Math.floor(cell / found.size)), name(cell % found.size), count(found.counts[cell]), bytes(found.bytes[cell]),
  ]);
  return table(cells.length > MAX_PAIRS ? `Partners, the ${MAX_PAIRS} pairs with most bytes` : "Partners", ["from", "to", "messages", "bytes"], rows);
}

/** @param {Sums} sums */
function sizes(sums) {
  const most = Math.max(...sums.sizes, 1);
  const rows = sums.sizes.flatMap((number, bits) => {
    if (number === 0) return [];
    const range = bits === 0 ? "0 B" : bits === 1 ? "1 B" : `${bytes(2 ** (bits - 1))} to below ${bytes(2 ** bits)}`;
    return [[range, count(number), "█".repeat(Math.max(1, Math.round((16 * number) / most)))]];
  });
  return table("Message sizes", ["size", "count", ""], rows);
}
