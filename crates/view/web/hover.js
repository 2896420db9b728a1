// Tooltips: describes the state or message under the pointer.
import { messageOf, stateOf } from "./neighbours.js";
import { KINDS, LABELS } from "./palette.js";
import { lineTitle } from "./rows.js";
import { coverStates, coverTraffic, eachFlow, eachMessage } from "./scene.js";
import { BINS, ROWS, stateAt } from "./tiles.js";
import { bytes, count, percent, time, timestamp } from "./units.js";

/** Distance in pixels within which the pointer selects a line. */
const PICK_DISTANCE = 4;

/**
 * The state or message under the pointer.
 * @typedef {object} Found
 * @property {string} title
 * @property {[string, string][]} facts
 * @property {import("./neighbours.js").LineState | null} state
 * @property {{from: number, to: number, sent: number, arrived: number} | null} message lines and times of its ends
 * @property {import("./neighbours.js").Sent | null} single the message, if it is one and not a flow
 */

/**
 * @param {import("./source.js").Source} source
 * @param {import("./rows.js").Rows} rows
 * @param {import("./scene.js").Axis} axis
 * @param {number} x
 * @param {number} y
 * @param {boolean} messages
 * @returns {Found | null}
 */
export function find(source, rows, axis, x, y, messages) {
  const message = messages ? nearMessage(source, rows, axis, x, y) : null;
  return message ?? stateUnder(source, rows, axis, x, y);
}

/** Returns the formatter of times at this zoom. @param {import("./scene.js").Axis} axis */
function exact(axis) {
  const apart = Math.min(1000, Math.max(1, 0.1 / axis.scale));
  return (/** @type {number} */ at) => timestamp(at, apart);
}

/** @param {import("./source.js").Source} source @param {import("./rows.js").Rows} rows @param {import("./scene.js").Axis} axis @param {number} x @param {number} y @returns {Found | null} */
function stateUnder(source, rows, axis, x, y) {
  const at = axis.from + x / axis.scale;
  const found = rows.at(y);
  if (!found || at < 0 || at > source.meta.span) return null;
  const { row } = found;
  const parts = coverStates(source, axis, row.group, Math.floor(row.index / ROWS));
  const part = parts.find(({ from, to }) => at >= from && at < to);
  if (!part) return null;
  const { tile } = part;
  if (tile.kind === "bins") return ofBin(rows, row, tile, at, axis);
  const i = stateAt(tile, row.index % ROWS, at, 2 / axis.scale);
  if (i < 0) return { title: `${rows.title(row)}: no state`, facts: [["time", exact(axis)(at)]], state: null, message: null, single: null };
  return ofState(source, rows, row, tile, i, axis);
}

/**
 * @param {import("./source.js").Source} source
 * @param {import("./rows.js").Rows} rows
 * @param {import("./rows.js").Row} row
 * @param {import("./tiles.js").StateTile} tile
 * @param {number} i
 * @param {import("./scene.js").Axis} axis
 * @returns {Found}
 */
function ofState(source, rows, row, tile, i, axis) {
  const state = stateOf(tile, row.index, i);
  const { from, to, cause } = state;
  const { calls, ranks, helperRanks } = source.meta;
  const call = tile.call[i] > 0 ? calls[tile.call[i] - 1] ?? `call ${tile.call[i] - 1}` : "";
  const name = exact(axis);
  /** @type {[string, string][]} */
  const facts = [["duration", time(to - from, 4)], ["start", name(from)], ["end", name(to)]];
  if (cause) facts.push(["waits for", lineTitle(cause.line, ranks, helperRanks)], ["released at", name(cause.at)]);
  const title = `${rows.title(row)}: ${LABELS[tile.what[i]]}${call ? ` in ${call}` : ""}`;
  return { title, facts, state, message: null, single: null };
}

/** @param {import("./rows.js").Rows} rows @param {import("./rows.js").Row} row @param {import("./tiles.js").BinTile} tile @param {number} at @param {import("./scene.js").Axis} axis @returns {Found} */
function ofBin(rows, row, tile, at, axis) {
  const width = 2 ** tile.level;
  const bin = Math.max(0, Math.min(BINS - 1, Math.floor((at - tile.base) / width)));
  const cell = (row.index % ROWS) * BINS + bin;
  const cells = tile.rows * BINS;
  /** @type {[string, string][]} */
  const facts = [];
  KINDS.forEach((_, kind) => {
    const share = tile.shares[kind * cells + cell] / 255;
    if (share > 0) facts.push([LABELS[kind], percent(share)]);
  });
  facts.push(["states starting here", count(tile.counts[cell])], ["longest", time(tile.longest[cell])]);
  facts.push(["interval", `${time(width)} from ${exact(axis)(tile.base + bin * width)}`]);
  return { title: rows.title(row), facts, state: null, message: null, single: null };
}

/** @param {number} x @param {number} y @param {number[]} line */
function distance(x, y, [x0, y0, x1, y1]) {
  const [along, down] = [x1 - x0, y1 - y0];
  const share = Math.max(0, Math.min(1, ((x - x0) * along + (y - y0) * down) / (along * along + down * down || 1)));
  return Math.hypot(x - x0 - share * along, y - y0 - share * down);
}

/** @param {import("./source.js").Source} source @param {import("./rows.js").Rows} rows @param {import("./scene.js").Axis} axis @param {number} x @param {number} y @returns {Found | null} */
function nearMessage(source, rows, axis, x, y) {
  const parts = coverTraffic(source, axis);
  const { ranks, helperRanks, messageKinds } = source.meta;
  const place = (/** @type {number} */ at) => (at - axis.from) * axis.scale;
  const name = exact(axis);
  let best = PICK_DISTANCE;
  /** @type {Found | null} */
  let found = null;
  eachMessage(parts, (messages, i) => {
    const single = messageOf(messages, i);
    const { sent, arrived } = single;
    /** @type {[number, number, number, number]} */
    const line = [place(sent), rows.middle(messages.from[i]), place(arrived), rows.middle(messages.to[i])];
    const away = distance(x, y, line);
    if (!(away < best)) return;
    best = away;
    found = {
      title: `${messageKinds[messages.kind[i]] ?? "message"} from ${lineTitle(messages.from[i], ranks, helperRanks)} to ${lineTitle(messages.to[i], ranks, helperRanks)}`,
      facts: [
        ["size", bytes(messages.bytes[i])], ["class (tag)", String(messages.cls[i])], ["sent", name(sent)], ["arrived", name(arrived)],
        ["received", name(single.received)], ["in flight", time(messages.travel[i])], ["unreceived for", time(messages.kept[i])],
      ],
      state: null, message: single, single,
    };
  });
  eachFlow(parts, (flows, i, at, tile) => {
    const size = 2 ** tile.group;
    const middle = (/** @type {number} */ group) => Math.min(group * size + (size >> 1), source.meta.lines - 1);
    const ends = { from: middle(flows.from[i]), to: middle(flows.to[i]), sent: at, arrived: at + flows.travel[i] };
    /** @type {[number, number, number, number]} */
    const line = [place(at), rows.middle(ends.from), place(ends.arrived), rows.middle(ends.to)];
    const away = distance(x, y, line);
    if (!(away < best / 2)) return;
    best = away;
    const group = (/** @type {number} */ index) => rows.title({ group: tile.group, index });
    found = {
      title: `${count(flows.count[i])} messages from ${group(flows.from[i])} to ${group(flows.to[i])}`,
      facts: [["bytes", bytes(flows.bytes[i])], ["in flight, mean", time(flows.travel[i])], ["time", name(at)]],
      state: null, message: ends, single: null,
    };
  });
  return found;
}
