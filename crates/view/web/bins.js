// Tiles of bins computed in the page from other tiles.
import { BINS, ROWS, span } from "./tiles.js";

/** @typedef {import("./tiles.js").BinTile} BinTile */
/** @typedef {import("./tiles.js").StateTile} StateTile */

/**
 * Bins the states of a tile for a tile at another level, since rows of several lines cannot draw
 * states on top of each other.
 * @param {StateTile} tile
 * @param {number} level
 * @param {number} column
 * @param {(row: number) => number} lines number of lines of a row
 * @returns {BinTile}
 */
export function binned(tile, level, column, lines) {
  const [width, cells] = [2 ** level, tile.rows * BINS];
  const base = column * BINS * width;
  const sums = new Float64Array(5 * cells);
  const [counts, longest] = [new Uint32Array(cells), new Float32Array(cells)];
  for (let i = 0; i < tile.count; i++) {
    const [from, to] = span(tile, i);
    const first = Math.max(0, Math.floor((from - base) / width));
    const last = Math.min(BINS - 1, Math.floor((to - base) / width));
    for (let bin = first; bin <= last; bin++) {
      const [begin, cell] = [base + bin * width, tile.row[i] * BINS + bin];
      sums[tile.what[i] * cells + cell] += Math.min(to, begin + width) - Math.max(from, begin);
      longest[cell] = Math.max(longest[cell], to - from);
      if (from >= begin && from < begin + width) counts[cell] += 1;
    }
  }
  const shares = new Uint8Array(5 * cells);
  for (let i = 0; i < sums.length; i++) {
    const row = Math.floor((i % cells) / BINS);
    if (sums[i] > 0) shares[i] = Math.min(255, Math.ceil((255 * sums[i]) / (width * lines(row))));
  }
  const { group, rows, firstRow } = tile;
  return {
    kind: "bins", group, rows, firstRow, level, base, count: cells, whole: true, size: 13 * cells, dispose: null, shares, counts, longest,
  };
}

/** Converts a tile to bins at another level. @param {BinTile | StateTile} tile @param {number} level @param {number} column @param {(row: number) => number} lines @returns {BinTile} */
export function asBins(tile, level, column, lines) {
  if (tile.kind === "states") return binned(tile, level, column, lines);
  const by = 2 ** (tile.level - level);
  if (by <= 1) return tile;
  const [cells, base] = [tile.rows * BINS, column * BINS * 2 ** level];
  const first = (base - tile.base) / 2 ** tile.level;
  const at = (/** @type {number} */ i) => i - (i % BINS) + Math.min(BINS - 1, Math.floor(first + (i % BINS) / by));
  const shares = new Uint8Array(5 * cells).map((_, i) => tile.shares[at(i)]);
  const counts = new Uint32Array(cells).map((_, i) => tile.counts[at(i)] / by);
  return { ...tile, level, base, shares, counts, longest: new Float32Array(cells).map((_, i) => tile.longest[at(i)]), dispose: null };
}

/** Merges tiles of smaller groups into one of larger groups. @param {BinTile[]} tiles @param {number} group @param {number} base @param {number} row @param {number} lines @returns {BinTile} */
export function merged(tiles, group, base, row, lines) {
  const firstRow = row * ROWS;
  const rows = Math.min(ROWS, Math.ceil(lines / 2 ** group) - firstRow);
  const cells = rows * BINS;
  const sums = new Float64Array(5 * cells);
  const [counts, longest] = [new Uint32Array(cells), new Float32Array(cells)];
  for (const tile of tiles) {
    const inner = tile.rows * BINS;
    for (let fine = 0; fine < tile.rows; fine++) {
      const line = (tile.firstRow + fine) * 2 ** base;
      const target = (Math.floor(line / 2 ** group) - firstRow) * BINS;
      const weight = Math.min(2 ** base, lines - line);
      for (let bin = 0; bin < BINS; bin++) {
        const from = fine * BINS + bin;
        for (let kind = 0; kind < 5; kind++) sums[kind * cells + target + bin] += weight * tile.shares[kind * inner + from];
        counts[target + bin] += tile.counts[from];
        longest[target + bin] = Math.max(longest[target + bin], tile.longest[from]);
      }
    }
  }
  const shares = new Uint8Array(5 * cells);
  for (let i = 0; i < sums.length; i++) {
    const line = (firstRow + Math.floor((i % cells) / BINS)) * 2 ** group;
    shares[i] = Math.min(255, Math.ceil(sums[i] / Math.min(2 ** group, lines - line)));
  }
  const { level, base: begin } = tiles[0];
  return { kind: "bins", group, level, rows, firstRow, count: cells, whole: false, base: begin, size: 13 * cells, dispose: null, shares, counts, longest };
}
