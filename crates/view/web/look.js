// Takes the view of a page, and puts one back: for the address, and for undo.
import { near } from "./neighbours.js";

/** @typedef {import("./address.js").Look} Look */
/**
 * What a view consists of.
 * @typedef {object} Looked
 * @property {HTMLElement} section
 * @property {import("./view.js").Viewport} view
 * @property {import("./pane.js").Pane[]} panes
 * @property {import("./panels.js").Panels} panels
 * @property {import("./details.js").Details} details
 * @property {boolean} byFunction
 * @property {number} hidden
 * @property {boolean} messages
 * @property {boolean} path
 * @property {boolean} gantt
 * @property {boolean} dark
 * @property {(dark: boolean) => void} theme
 * @property {() => void} redraw
 */

/** Returns the window of time and rows, and nothing else. @param {Looked} page @returns {Look} */
export function windowOf(page) {
  const { view, panes } = page;
  return {
    from: view.from, to: view.to, rows: panes.map(({ diagram: { rows } }) => [rows.zoom, rows.scroll]), expanded: [...panes[0].diagram.rows.expanded],
    selection: null, cursor: null, chosen: null, panel: "", group: -1, order: 0, byFunction: false, hidden: 0, messages: true, path: true, gantt: false,
  };
}

/** Returns everything that an address keeps. @param {Looked} page @returns {Look} */
export function take(page) {
  const { view, panes, panels, details } = page;
  const [{ rows }] = panes.map(({ diagram }) => diagram);
  const place = panes.findIndex(({ diagram }) => diagram.pinned?.state);
  const state = details.box.hidden ? null : panes[place]?.diagram.pinned?.state ?? null;
  return {
    ...windowOf(page), selection: view.selection, cursor: view.cursor, chosen: state && [place, state.line, state.from], panel: panels.panel > 0 ? panels.name : "",
    group: rows.requestedGroup, order: rows.order, byFunction: page.byFunction, hidden: page.hidden, messages: page.messages, path: page.path, gantt: page.gantt,
  };
}

/** Goes to a window of time and rows. @param {Looked} page @param {Look} look */
export function putWindow(page, look) {
  page.panes.forEach(({ diagram: { rows } }, i) => {
    [rows.zoom, rows.scroll] = look.rows[i] ?? [1, 0];
    // A zoom beyond this would only make rows higher than the screen.
    rows.zoom = Math.min(rows.zoom, 40 * rows.lines + 1);
  });
  page.panes[0].diagram.rows.expanded = new Set(look.expanded ?? []);
  page.view.set(look.from, look.to);
}

/** Shows what an address tells. @param {Looked} page @param {Look} look */
export function put(page, look) {
  const { view, panes, panels, details } = page;
  [page.byFunction, page.hidden, page.messages, page.path, page.gantt] = [look.byFunction, look.hidden, look.messages, look.path, look.gantt];
  for (const { diagram: { rows } } of panes) [rows.requestedGroup, rows.order] = [look.group, rows.isOrder(look.order) ? look.order : 0];
  /** @type {[string, number | string][]} */
  const lists = [["Ranks per row", look.group], ["Sort by", look.order], ["Colours by", look.byFunction ? "function" : "kind"]];
  for (const [label, value] of lists) {
    const list = page.section.querySelector(`select[aria-label="${label}"]`);
    if (list instanceof HTMLSelectElement) list.value = String(value);
  }
  page.theme(page.dark);
  putWindow(page, look);
  view.point(look.cursor);
  view.select(look.selection?.from ?? null, look.selection?.to ?? 0);
  panels.chooseNamed(look.panel);
  if (!look.chosen) return details.box.hidden || details.close();
  const [place, line, at] = look.chosen;
  const diagram = panes[place]?.diagram;
  if (diagram) near(diagram.source, line, at).then((found) => found?.at && details.show(diagram, { state: found.at, message: null }), () => {});
}
