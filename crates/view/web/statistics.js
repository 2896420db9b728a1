// Statistics as tables, which are also accessible without the diagrams.
import { element, table } from "./chart.js";
import { KINDS, LABELS } from "./palette.js";
import { bytes, count, percent, time } from "./units.js";

/** Upper limit of calls listed. */
const MAX_CALLS = 40;

/** The statistics panel. */
export class Statistics {
  /** @param {import("./source.js").Source} source */
  constructor(source) {
    const { meta } = source;
    const tables = [facts(meta), states(source), calls(meta)];
    if (meta.messages > 0) tables.push(messages(meta), sizes(meta));
    this.box = element("div", "statistics", { tabindex: "0", role: "region", "aria-label": `Statistics of ${meta.name}` }, tables);
  }

  draw() {}
}

/** @param {import("./source.js").Meta} meta */
function facts(meta) {
  const rows = [
    ["ranks", count(meta.ranks)], ["helpers", count(meta.lines - meta.ranks)], ["time", time(meta.span, 5)], ["states", count(meta.states)],
    ["messages", count(meta.messages)], ["critical path", `${count(meta.path.parts)} segments, ${time(meta.path.time, 4)} of work`],
    ["topology", meta.topology.text], ...meta.facts.filter(([name]) => name !== "topology"),
  ];
  return table("Timeline", ["fact", "value"], rows);
}

/** @param {import("./source.js").Source} source */
function states(source) {
  const { lines, span } = source.meta;
  const all = Math.max(1, lines * span);
  let idle = all;
  const rows = KINDS.map((_, kind) => {
    let [sum, least, most] = [0, Infinity, 0];
    for (let line = 0; line < lines; line++) {
      const value = source.summary[kind * lines + line];
      [sum, least, most] = [sum + value, Math.min(least, value), Math.max(most, value)];
    }
    idle -= sum;
    return [LABELS[kind], time(sum / Math.max(1, lines)), percent(sum / all), time(lines > 0 ? least : 0), time(most)];
  });
  rows.push(["no state", time(Math.max(0, idle) / Math.max(1, lines)), percent(Math.max(0, idle) / all), "", ""]);
  return table("Time per rank", ["state", "mean", "share", "min", "max"], rows);
}

/** @param {import("./source.js").Meta} meta */
function calls(meta) {
  const sorted = [...meta.sums.calls].sort((one, other) => other[3] - one[3]).slice(0, MAX_CALLS);
  const rows = sorted.map(([call, kind, number, all, longest]) => [
    call > 0 ? meta.calls[call - 1] ?? `call ${call - 1}` : "outside MPI", LABELS[kind], count(number), time(all), time(all / number), time(longest),
  ]);
  return table("Calls", ["call", "state", "count", "total", "mean", "max"], rows);
}

/** @param {import("./source.js").Meta} meta */
function messages(meta) {
  const rows = meta.sums.messageKinds.flatMap(([number, sum], kind) =>
    number > 0 ? [[meta.messageKinds[kind], count(number), bytes(sum), bytes(sum / number)]] : []);
  const all = meta.sums.messageKinds.reduce((all, [number]) => all + number, 0) || 1;
  rows.push(["in flight, mean", time(meta.sums.travel / all), "", ""], ["unreceived, mean", time(meta.sums.kept / all), "", ""]);
  return table("Messages", ["kind", "count", "bytes", "mean size"], rows);
}

/** @param {import("./source.js").Meta} meta */
function sizes(meta) {
  const most = Math.max(...meta.sums.sizes, 1);
  const rows = meta.sums.sizes.flatMap((number, bits) => {
    if (number === 0) return [];
    const range = bits === 0 ? "0 B" : bits === 1 ? "1 B" : `${bytes(2 ** (bits - 1))} to below ${bytes(2 ** bits)}`;
    return [[range, count(number), "█".repeat(Math.max(1, Math.round((16 * number) / most)))]];
  });
  return table("Message sizes", ["size", "count", ""], rows);
}
