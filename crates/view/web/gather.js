// Time series over a window: ranks by kind of state, messages in flight, and the communication
// matrix.
import { coverStates, coverTraffic } from "./scene.js";
import { BINS, span } from "./tiles.js";

/** @typedef {import("./source.js").Source} Source */

/** @param {number} from @param {number} to @param {number} samples */
function axis(from, to, samples) {
  return { from, to, left: 0, scale: samples / (to - from) };
}

/**
 * Adds an interval to the samples it overlaps.
 * @param {Float64Array} out
 * @param {number} begin in samples
 * @param {number} end
 * @param {number} value
 */
function spread(out, begin, end, value) {
  const last = Math.min(out.length - 1, Math.floor(end));
  for (let i = Math.max(0, Math.floor(begin)); i <= last; i++) {
    out[i] += value * Math.max(0, Math.min(end, i + 1) - Math.max(begin, i));
  }
}

/**
 * Returns the mean number of lines in each kind of state.
 * @param {Source} source
 * @param {number} from
 * @param {number} to
 * @param {number} samples
 */
export function utilisation(source, from, to, samples) {
  const kinds = Array.from({ length: 5 }, () => new Float64Array(samples));
  const { lines, whole } = source.meta;
  const at = axis(from, to, samples);
  const parts = coverStates(source, at, whole, 0);
  for (const part of parts) {
    const place = (/** @type {number} */ moment) => (Math.max(part.from, Math.min(part.to, moment)) - from) * at.scale;
    const { tile } = part;
    if (tile.kind === "states") {
      for (let i = 0; i < tile.count; i++) {
        const [begin, end] = span(tile, i);
        if (end > part.from && begin < part.to) spread(kinds[tile.what[i]], place(begin), place(end), 1);
      }
      continue;
    }
    const width = 2 ** tile.level;
    for (let bin = 0; bin < BINS; bin++) {
      const begin = tile.base + bin * width;
      if (begin + width <= part.from || begin >= part.to) continue;
      for (let kind = 0; kind < 5; kind++) {
        const share = tile.shares[kind * tile.rows * BINS + bin] / 255;
        if (share > 0) spread(kinds[kind], place(begin), place(begin + width), share * lines);
      }
    }
  }
  return kinds;
}

/**
 * Returns the mean number of messages in flight and of messages arrived and not received, their bytes, and messages sent.
 * @param {Source} source
 * @param {number} from
 * @param {number} to
 * @param {number} samples
 */
export function queues(source, from, to, samples) {
  const columns = Array.from({ length: 5 }, () => new Float64Array(samples));
  const at = axis(from, to, samples);
  for (const part of coverTraffic(source, at)) {
    const place = (/** @type {number} */ moment) => (Math.max(part.from, Math.min(part.to, moment)) - from) * at.scale;
    const { tile } = part;
    if (tile.messages && tile.all) {
      single(tile, part, place, columns);
      continue;
    }
    const width = 2 ** tile.level;
    for (let bin = 0; bin < BINS; bin++) {
      const begin = tile.base + bin * width;
      if (begin + width <= part.from || begin >= part.to) continue;
      for (let column = 0; column < 5; column++) {
        const value = tile.queues[column * BINS + bin];
        if (value > 0) spread(columns[column], place(begin), place(begin + width), value);
      }
    }
  }
  return columns;
}

/**
 * @param {import("./tiles.js").TrafficTile} tile
 * @param {{from: number, to: number}} part
 * @param {(moment: number) => number} place
 * @param {Float64Array[]} columns
 */
function single(tile, part, place, columns) {
  const { messages } = tile;
  if (!messages) return;
  for (let i = 0; i < tile.count; i++) {
    const sent = messages.sent[i];
    const arrived = sent + messages.travel[i];
    const received = arrived + messages.kept[i];
    if (arrived > part.from && sent < part.to) {
      spread(columns[0], place(sent), place(arrived), 1);
      spread(columns[2], place(sent), place(arrived), messages.bytes[i]);
    }
    if (received > part.from && arrived < part.to) {
      spread(columns[1], place(arrived), place(received), 1);
      spread(columns[3], place(arrived), place(received), messages.bytes[i]);
    }
  }
}

/**
 * Returns the communication matrix of a window, by groups of lines.
 * @param {Source} source
 * @param {number} from
 * @param {number} to
 */
export function matrix(source, from, to) {
  const group = source.meta.trafficGroup;
  const size = Math.max(1, Math.ceil(source.meta.lines / 2 ** group));
  const [counts, bytes] = [new Float64Array(size * size), new Float64Array(size * size)];
  const parts = coverTraffic(source, axis(from, to, 1000));
  for (const { tile, from: begin, to: end } of parts) {
    const { messages, flows } = tile;
    const width = (BINS / tile.flowBins) * 2 ** tile.level;
    for (let i = 0; i < tile.count; i++) {
      if (messages) {
        const sent = messages.sent[i];
        if (sent < Math.max(begin, from) || sent >= Math.min(end, to)) continue;
        const cell = (messages.from[i] >> group) * size + (messages.to[i] >> group);
        counts[cell] += 1;
        bytes[cell] += messages.bytes[i];
      } else if (flows) {
        const at = tile.base + flows.bin[i] * width;
        const inside = Math.min(end, to, at + width) - Math.max(begin, from, at);
        if (inside <= 0) continue;
        const cell = flows.from[i] * size + flows.to[i];
        counts[cell] += (flows.count[i] * inside) / width;
        bytes[cell] += (flows.bytes[i] * inside) / width;
      }
    }
  }
  return { size, group, counts, bytes };
}
