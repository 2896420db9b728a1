// What surrounds a state: the states before and after it on its line, and the messages that it sent
// or received. Requested from the server, or looked up in the tiles of a page.
import { BINS, ROWS, span, statesOf } from "./tiles.js";

/** A state of a line. @typedef {{line: number, kind: number, call: number, from: number, to: number, cause: {line: number, at: number} | null}} LineState */
/** A message. @typedef {{from: number, to: number, bytes: number, cls: number, kind: number, sent: number, arrived: number, received: number}} Sent */
/** @typedef {{before: LineState | null, at: LineState | null, after: LineState | null}} Near */

/** Upper limit of messages listed. */
const MAX_LISTED = 64;

/** @param {number} picos */
function whole(picos) {
  return BigInt(Math.max(0, Math.round(picos)));
}

/** Returns the state of a line that began last at a time or before, and those before and after it; null if the page does not embed them. @param {import("./source.js").Source} source @param {number} line @param {number} at @returns {Promise<Near | null>} */
export async function near(source, line, at) {
  if (source.isInside) return source.hasAll ? inside(source, line, at) : null;
  const answer = await source.load(`near/${line}/${whole(at)}`);
  if (!answer) return null;
  const [before, here, after] = JSON.parse(new TextDecoder().decode(answer)).map((/** @type {[number, number, number, number, [number, number] | null] | null} */ found) => {
    if (!found) return null;
    const [kind, call, from, to, cause] = found;
    return { line, kind, call, from, to, cause: cause && { line: cause[0], at: cause[1] } };
  });
  return { before, at: here, after };
}

/** Returns the tile that has the single states of a line at a time. @param {import("./source.js").Source} source @param {number} line @param {number} at */
function tileAt(source, line, at) {
  const tile = source.states(0, 0, Math.floor(line / ROWS), Math.floor(Math.max(0, at) / BINS));
  return tile?.kind === "states" ? tile : null;
}

/** @param {import("./tiles.js").StateTile} tile @param {number} line @param {number} i @returns {LineState} */
export function stateOf(tile, line, i) {
  const [from, to] = span(tile, i);
  const cause = tile.causes.get(i);
  return { line, kind: tile.what[i], call: tile.call[i], from, to, cause: cause && { line: cause[0], at: cause[1] } };
}

/** @param {import("./source.js").Source} source @param {number} line @param {number} at @returns {Near} */
function inside(source, line, at) {
  const here = step(source, line, at, -1, (state) => state.from <= at) ?? step(source, line, at, 1, () => true);
  if (!here) return { before: null, at: null, after: null };
  const before = step(source, line, here.from, -1, (state) => state.from < here.from);
  return { before, at: here, after: step(source, line, here.to, 1, (state) => state.from > here.from) };
}

/** Returns the first state from a time on, or the last before it, that passes a test. @param {import("./source.js").Source} source @param {number} line @param {number} at @param {1 | -1} way @param {(state: LineState) => boolean} test @returns {LineState | null} */
function step(source, line, at, way, test) {
  // Times of states may be rounded, so the tile beside the edge may hold what is looked for.
  for (let place = at; place >= 0 && place <= source.meta.span; ) {
    const tile = tileAt(source, line, place);
    if (!tile) return null;
    const list = [...statesOf(tile, line % ROWS)].map((i) => stateOf(tile, line, i)).filter(({ from, to }) => from < to);
    const found = (way > 0 ? list : list.reverse()).find(test);
    if (found) return found;
    place = way > 0 ? tile.base + BINS * 2 ** tile.level : tile.base - 1;
  }
  return null;
}

/** Returns the messages that belong to a state, and whether these are all; null if the page does not embed them. @param {import("./source.js").Source} source @param {LineState} state @returns {Promise<{list: Sent[], isAll: boolean} | null>} */
export async function exchange(source, state) {
  const found = source.isInside ? (source.hasAll ? embedded(source, state) : null) : await served(source, state);
  return found && { list: found.list.filter((message) => belongs(source, state, message)).slice(0, MAX_LISTED), isAll: found.isAll };
}

/** @param {import("./source.js").Source} source @param {LineState} state @returns {Promise<{list: Sent[], isAll: boolean} | null>} */
async function served(source, { line, from, to }) {
  const answer = await source.load(`exchange/${line}/${whole(from)}/${whole(to)}`);
  if (!answer) return null;
  const [list, isAll] = JSON.parse(new TextDecoder().decode(answer));
  return { list: list.map((/** @type {number[]} */ [from, to, bytes, cls, kind, sent, arrived, received]) => ({ from, to, bytes, cls, kind, sent, arrived, received })), isAll };
}

/** @param {import("./source.js").Source} source @param {LineState} state */
function embedded(source, state) {
  /** @type {Map<string, Sent>} */
  const found = new Map();
  for (let place = state.from; place <= state.to; ) {
    const tile = source.traffic(0, Math.floor(Math.max(0, place) / BINS));
    if (!tile) break;
    const { messages } = tile;
    for (let i = 0; messages && i < tile.count; i++) {
      if (messages.from[i] !== state.line && messages.to[i] !== state.line) continue;
      const message = messageOf(messages, i);
      found.set(Object.values(message).join(), message);
    }
    place = tile.base + BINS * 2 ** tile.level;
  }
  return { list: [...found.values()], isAll: true };
}

/** @param {import("./tiles.js").Messages} messages @param {number} i @returns {Sent} */
export function messageOf(messages, i) {
  const sent = messages.sent[i];
  const arrived = sent + messages.travel[i];
  return {
    from: messages.from[i], to: messages.to[i], bytes: messages.bytes[i], cls: messages.cls[i], kind: messages.kind[i], sent, arrived,
    received: arrived + messages.kept[i],
  };
}

/** Whether a timeline was measured: there a message is sent when its call begins, in a simulated one when the overhead of its call ends. @param {import("./source.js").Source} source */
function isMeasured(source) {
  return source.meta.facts.some(([name, value]) => name === "run" && value === "measured");
}

/** Returns whether a state sent or received a message. Computation does neither. @param {import("./source.js").Source} source @param {LineState} state @param {Sent} message */
function belongs(source, { line, kind, from, to, cause }, message) {
  if (kind === 0) return false;
  // The message that ended a wait was sent by its cause.
  if (cause && message.to === line && message.from === cause.line && Math.abs(message.sent - cause.at) <= (source.isInside ? to * 1e-6 : 0)) return true;
  // Tiles round times.
  const slack = source.isInside ? Math.min((to - from) / 4, to * 1e-6) : 0;
  const after = (/** @type {number} */ at) => at > from + slack && at <= to + slack;
  const sent = isMeasured(source) ? message.sent >= from - slack && message.sent < to - slack : after(message.sent);
  return (message.from === line && kind !== 4 && sent) || (message.to === line && after(kind === 4 ? message.arrived : message.received));
}

/** Returns the state that sent a message. @param {import("./source.js").Source} source @param {Sent} message */
export async function sender(source, message) {
  return at(source, message.from, message.sent, !isMeasured(source));
}

/** Returns the state that received a message. @param {import("./source.js").Source} source @param {Sent} message */
export async function receiver(source, message) {
  return at(source, message.to, message.received, true);
}

/** Returns the state of a line at a time; where one ends and another begins, the first or the second. @param {import("./source.js").Source} source @param {number} line @param {number} time @param {boolean} isFirst */
async function at(source, line, time, isFirst) {
  const found = await near(source, line, time);
  if (!found?.at) return null;
  const slack = source.isInside ? Math.min((found.at.to - found.at.from) / 4, time * 1e-6) : 0;
  const isEdge = Math.abs(found.at.from - time) <= slack;
  if (isFirst && isEdge && found.before) return found.before;
  if (!isFirst && found.at.to - time <= slack && found.after) return found.after;
  return found.at;
}
