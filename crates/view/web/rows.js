// Assignment of ranks to rows: grouping, sorting, expanding.

/** Sort orders of rows: a name and a column of the summary. @type {[string, number][]} */
export const ORDERS = [["rank", -1], ["waiting", 4], ["computing", 0], ["end", 5], ["bytes sent", 8], ["bytes received", 10]];

/** Minimum row height in pixels before ranks are grouped, and maximum. */
const [MIN_HEIGHT, MAX_HEIGHT] = [3, 56];

/** @typedef {{group: number, index: number}} Row */

/** The rows of one diagram. */
export class Rows {
  /** @param {import("./source.js").Source} source */
  constructor(source) {
    this.source = source;
    /** Requested group: a row is 2^group lines; negative for as many as needed to show all. */
    this.requestedGroup = -1;
    this.order = 0;
    this.helpers = true;
    /** Expanded groups, by size and index. @type {Set<string>} */
    this.expanded = new Set();
    this.zoom = 1;
    this.scroll = 0;
    this.group = 0;
    this.height = 20;
    this.room = 0;
    /** @type {Row[]} */
    this.list = [];
    /** @type {Int32Array} */
    this.places = new Int32Array(0);
    /** @type {Map<number, number>} */
    this.single = new Map();
    this.made = "";
  }

  /** Returns whether there is such a sort order. @param {number} order */
  isOrder(order) {
    return order in ORDERS;
  }

  /** Number of lines shown. */
  get lines() {
    const { lines, ranks } = this.source.meta;
    return this.helpers ? lines : ranks;
  }

  /** Returns the number of lines of a row. @param {Row} row */
  size(row) {
    const first = row.index * 2 ** row.group;
    return Math.max(0, Math.min(2 ** row.group, this.source.meta.lines - first));
  }

  /** Fits the rows into `room` pixels. @param {number} room */
  layout(room) {
    this.room = room;
    const least = this.source.meta.base ?? 0;
    let group = this.requestedGroup < 0 ? -1 : Math.max(least, this.requestedGroup);
    if (group < 0) {
      group = least;
      while (Math.ceil(this.lines / 2 ** group) * MIN_HEIGHT > room * this.zoom && group < this.source.meta.whole) group += 1;
    }
    this.group = Math.min(group, this.source.meta.whole);
    const key = [this.group, this.order, this.helpers, ...this.expanded].join();
    if (key !== this.made) this.make(key);
    const count = Math.max(1, this.list.length);
    this.height = Math.min(MAX_HEIGHT * this.zoom, Math.max((room * this.zoom) / count, 1));
    this.scroll = Math.max(0, Math.min(this.scroll, count * this.height - room));
  }

  /** @param {string} key */
  make(key) {
    this.made = key;
    const count = Math.ceil(this.lines / 2 ** this.group);
    const order = Array.from({ length: count }, (_, i) => i);
    const column = ORDERS[this.order][1];
    if (column >= 0) {
      const sums = order.map((index) => this.sum({ group: this.group, index }, column));
      order.sort((one, other) => sums[other] - sums[one]);
    }
    this.list = [];
    this.places = new Int32Array(count).fill(-1);
    this.single.clear();
    for (const index of order) {
      this.places[index] = this.list.length;
      this.list.push({ group: this.group, index });
      if (this.isExpanded({ group: this.group, index })) this.expand(index);
    }
  }

  /** @param {number} index */
  expand(index) {
    if (!this.source.hasLines) return;
    const first = index * 2 ** this.group;
    for (let line = first; line < Math.min(first + 2 ** this.group, this.lines); line++) {
      this.single.set(line, this.list.length);
      this.list.push({ group: 0, index: line });
    }
  }

  /** Returns whether a group is expanded. @param {Row} row */
  isExpanded({ group, index }) {
    return group > 0 && this.expanded.has(`${group}/${index}`);
  }

  /** Expands or collapses a group. @param {Row} row */
  toggle({ group, index }) {
    const name = `${group}/${index}`;
    if (group > 0 && !this.expanded.delete(name)) this.expanded.add(name);
  }

  /** Makes the row of a rank at least `high` pixels high and scrolls it to the middle. @param {number} rank @param {number} high pixels */
  reveal(rank, high) {
    /** @type {Row | null} */
    let opened = null;
    // Higher rows make groups smaller, so this may take several steps.
    for (let step = 0; step < 32; step++) {
      this.layout(this.room);
      if (opened && opened.group !== this.group) {
        this.toggle(opened);
        opened = null;
      }
      /** @type {Row} */
      const row = { group: this.group, index: Math.floor(rank / 2 ** this.group) };
      if (row.group > 0 && !this.isExpanded(row)) this.toggle((opened = row));
      else if (this.height < high && this.zoom < this.lines) this.zoom = Math.min(this.lines, Math.max(1.01 * this.zoom, (high * this.list.length) / this.room));
      else break;
    }
    this.scroll += this.middle(rank) - this.room / 2;
    this.layout(this.room);
  }

  /** Returns the total of a summary column over the lines of a row. @param {Row} row @param {number} column */
  sum(row, column) {
    const { lines } = this.source.meta;
    let [first, sum] = [row.index * 2 ** row.group, 0];
    for (let line = first; line < first + this.size(row); line++) {
      const value = this.source.summary[column * lines + line] ?? 0;
      sum = column === 5 ? Math.max(sum, value) : sum + value;
    }
    return sum;
  }

  /** Returns the index of the row that shows a line, or -1. @param {number} line */
  place(line) {
    return this.single.get(line) ?? this.places[Math.floor(line / 2 ** this.group)] ?? -1;
  }

  /** Returns the vertical middle of the row that shows a line; NaN if there is none. @param {number} line */
  middle(line) {
    const place = this.place(line);
    return place < 0 ? NaN : (place + 0.5) * this.height - this.scroll;
  }

  /** Returns the row at a height. @param {number} y */
  at(y) {
    const place = Math.floor((y + this.scroll) / this.height);
    const row = this.list[place];
    return row ? { row, place, top: place * this.height - this.scroll } : null;
  }

  /** Index range of the visible rows: first, and one past the last. */
  get seen() {
    const first = Math.max(0, Math.floor(this.scroll / this.height));
    return [first, Math.min(this.list.length, Math.ceil((this.scroll + this.room) / this.height))];
  }

  /** Returns the short name of a row. @param {Row} row */
  name(row) {
    const { ranks, helperRanks } = this.source.meta;
    const first = row.index * 2 ** row.group;
    if (row.group > 0) return first > 999 ? `${first}…` : `${first}-${first + this.size(row) - 1}`;
    return first < ranks ? String(first) : `${helperRanks[first - ranks] ?? "?"}+`;
  }

  /** Returns the name of a row for sentences. @param {Row} row */
  title(row) {
    const { ranks, helperRanks } = this.source.meta;
    const first = row.index * 2 ** row.group;
    if (row.group > 0) return `ranks ${first} to ${first + this.size(row) - 1}`;
    return lineTitle(first, ranks, helperRanks);
  }
}

/** Returns the name of a rank or a helper. @param {number} line @param {number} ranks @param {number[]} helperRanks */
export function lineTitle(line, ranks, helperRanks) {
  return line < ranks ? `rank ${line}` : `helper of rank ${helperRanks[line - ranks] ?? "?"}`;
}
