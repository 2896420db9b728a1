// The view as a text: what the address keeps, so that a link shows the same picture.

/** What is looked at. @typedef {object} Look
 * @property {number} from
 * @property {number} to
 * @property {[number, number][]} rows zoom and scroll of the rows of each timeline
 * @property {string[]} [expanded] expanded groups of the first timeline
 * @property {{from: number, to: number} | null} selection
 * @property {number | null} cursor
 * @property {[number, number, number] | null} chosen timeline, line and begin of the state that is shown in detail
 * @property {string} panel
 * @property {number} group
 * @property {number} order
 * @property {boolean} byFunction
 * @property {number} hidden
 * @property {boolean} messages
 * @property {boolean} path
 * @property {boolean} gantt
 */

/** @param {number} value */
function digits(value) {
  return String(Number(value.toPrecision(12)));
}

/** Writes a view; defaults are left out. @param {Look} look */
export function write(look) {
  /** @type {[string, string][]} */
  const words = [["t", `${digits(look.from)}~${digits(look.to)}`]];
  if (look.rows.some(([zoom, scroll]) => zoom !== 1 || scroll !== 0)) words.push(["rows", look.rows.map(([zoom, scroll]) => `${digits(zoom)}~${Math.round(scroll)}`).join("_")]);
  if (look.expanded?.length) words.push(["open", look.expanded.join("_")]);
  if (look.selection) words.push(["select", `${digits(look.selection.from)}~${digits(look.selection.to)}`]);
  if (look.cursor !== null) words.push(["cursor", digits(look.cursor)]);
  if (look.chosen) words.push(["state", look.chosen.map(digits).join("~")]);
  if (look.panel) words.push(["panel", look.panel]);
  if (look.group >= 0) words.push(["group", String(look.group)]);
  if (look.order > 0) words.push(["order", String(look.order)]);
  if (look.byFunction) words.push(["colours", "function"]);
  if (look.hidden > 0) words.push(["hidden", String(look.hidden)]);
  const off = [look.messages ? "" : "messages", look.path ? "" : "path"].filter(Boolean);
  if (look.gantt) words.push(["gantt", "1"]);
  if (off.length > 0) words.push(["off", off.join("~")]);
  return words.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

/** Reads a view; null if there is none. What is missing or invalid has its default. @param {string} text @returns {Look | null} */
export function read(text) {
  const words = new URLSearchParams(text);
  const numbers = (/** @type {string | null} */ word) => (word ?? "").split("~").map(Number);
  const [from, to] = numbers(words.get("t"));
  if (!(from < to)) return null;
  const [begin, end] = numbers(words.get("select"));
  const state = numbers(words.get("state"));
  const isWhole = state.length === 3 && state.every((value) => value >= 0);
  const off = (words.get("off") ?? "").split("~");
  const number = (/** @type {string} */ name, /** @type {number} */ otherwise) => (words.has(name) && Number.isInteger(Number(words.get(name))) ? Number(words.get(name)) : otherwise);
  return {
    from, to, rows: (words.get("rows") ?? "").split("_").map(numbers).map(([zoom, scroll]) => [zoom >= 1 ? zoom : 1, scroll > 0 ? scroll : 0]),
    expanded: (words.get("open") ?? "").split("_").filter((name) => /^\d+\/\d+$/.test(name)),
    selection: begin < end ? { from: begin, to: end } : null, cursor: words.has("cursor") && Number(words.get("cursor")) >= 0 ? Number(words.get("cursor")) : null,
    chosen: isWhole ? [state[0], state[1], state[2]] : null, panel: words.get("panel") ?? "", group: number("group", -1), order: number("order", 0),
    byFunction: words.get("colours") === "function", hidden: number("hidden", 0) & 0xffff, gantt: words.has("gantt"),
    messages: !off.includes("messages"), path: !off.includes("path"),
  };
}
