// The page: opens its timelines and connects all parts.
import { read, write } from "./address.js";
import { element } from "./chart.js";
import { Details } from "./details.js";
import { Views } from "./history.js";
import { press } from "./keys.js";
import { Legend } from "./legend.js";
import { put, putWindow, take, windowOf } from "./look.js";
import { inside, served } from "./open.js";
import { palette } from "./palette.js";
import { Pane } from "./pane.js";
import { Panels } from "./panels.js";
import { handle } from "./resize.js";
import { Search } from "./search.js";
import { Shading, mainFunctions } from "./shading.js";
import { Toolbar, helpDialog } from "./toolbar.js";
import { time } from "./units.js";
import { Viewport } from "./view.js";

/** Milliseconds without a frame after which deferred drawing is done. */
const IDLE_DELAY = 120;

/** Shows the section that contains a script. @param {HTMLOrSVGScriptElement | null} script */
export function start(script) {
  const section = script?.parentElement;
  if (!section) return;
  open(section).catch((error) => fail(section, error instanceof Error ? error.message : String(error)));
}

/** @param {HTMLElement} section @param {string} text */
function fail(section, text) {
  section.append(element("p", "warning", { role: "alert" }, [`Cannot show this timeline: ${text}`]));
}

/** @param {HTMLElement} section */
async function open(section) {
  const list = JSON.parse(section.querySelector(".panto-list")?.textContent ?? "{}");
  const packed = section.querySelector(".panto-pieces");
  const bar = element("progress", "", { max: "1", value: "0", "aria-label": "Reading the timeline" });
  const note = element("p", "reading", { role: "status" }, ["Reading the timeline… ", bar]);
  section.append(note);
  /** @type {Page | null} */
  let page = null;
  const arrived = () => page?.redraw();
  /** @type {import("./source.js").Source[]} */
  let sources;
  if (list.served) {
    const shares = list.served.map(() => 0);
    const all = list.served.map((/** @type {string} */ _, /** @type {number} */ number) =>
      served(number, (share) => {
        shares[number] = share;
        bar.value = Math.min(...shares);
      }, arrived));
    sources = await Promise.all(all);
  } else {
    sources = await inside(list, packed?.textContent ?? "", arrived);
    packed?.remove();
  }
  note.remove();
  page = new Page(section, sources);
  page.redraw();
}

/** The page of one or two timelines. */
class Page {
  /** @param {HTMLElement} section @param {import("./source.js").Source[]} sources */
  constructor(section, sources) {
    this.section = section;
    this.messages = true;
    this.path = true;
    this.selects = false;
    this.gantt = false;
    this.renderer = new URLSearchParams(location.search).get("renderer");
    this.callMarked = "";
    this.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.colours = palette(this.dark, false);
    this.functions = mainFunctions(sources);
    this.byFunction = false;
    this.hidden = 0;
    /** @type {Map<import("./source.js").Source, Shading>} */
    this.shadings = new Map();
    this.legend = new Legend({
      onSlot: (slot, isOnly) => this.filter(slot, isOnly), onToggle: (what) => this.toggle(what),
      onColours: (byFunction) => {
        [this.byFunction, this.hidden] = [byFunction, 0];
        this.recolour();
      },
    });
    this.due = 0;
    this.stale = true;
    this.live = element("p", "live", { "aria-live": "polite" });
    this.view = new Viewport(Math.max(...sources.map(({ meta }) => meta.span)), () => this.redraw());
    this.panes = sources.map((source) => new Pane(this, source));
    this.search = new Search(sources[0], this.panes[0].diagram, this);
    this.panels = new Panels(this, this.panes);
    this.details = new Details(this, () => this.panes.map(({ diagram }) => diagram));
    this.toolbar = new Toolbar(this, this.panes.map(({ source }) => source.meta), this.search.box);
    this.help = helpDialog();
    const panes = element("div", "panes", {}, this.panes.map(({ box }) => box));
    const tabs = element("div", "tab-row", {}, [this.panels.tabs, this.panels.scope.box]);
    const bottom = element("div", "bottom", {}, [this.panels.box, this.details.box]);
    section.append(this.toolbar.box, this.legend.box, panes, handle(bottom, section, () => this.redraw()), tabs, bottom, this.live, this.help);
    this.views = new Views(() => write(windowOf(this)), (view) => this.restore(view), () => this.keep());
    this.panels.choose(0);
    this.theme(this.dark);
    this.listen();
    if (this.isPage) this.follow();
  }

  /** Whether the viewer is the whole page, and not a part of another. */
  get isPage() {
    return this.section.classList.contains("panto-page");
  }

  /** Shows what the address tells, if anything. */
  follow() {
    const look = read(location.hash.slice(1));
    if (look && location.hash !== this.address) put(this, look);
  }

  /** Keeps the view in the address. */
  keep() {
    if (!this.isPage) return;
    this.address = `#${write(take(this))}`;
    if (location.hash !== this.address) history.replaceState(history.state, "", this.address);
  }

  /** @param {string} view */
  restore(view) {
    const look = read(view);
    if (look) putWindow(this, look);
  }

  /** Redraws everything with the next frame. */
  redraw() {
    this.stale = true;
    this.touch();
  }

  /** Redraws the overlays of the diagrams with the next frame. */
  touch() {
    this.section.dataset.busy = "true";
    this.views?.touch();
    if (!this.due) this.due = requestAnimationFrame(() => this.draw());
  }

  draw() {
    const begin = performance.now();
    this.due = 0;
    clearTimeout(this.resting);
    this.resting = undefined;
    if (this.stale) this.drawAll();
    else for (const { diagram } of this.panes) diagram.drawOver(diagram.axis);
    const data = this.section.dataset;
    data.busy = String(this.due > 0 || this.resting !== undefined || this.panels.isStale || this.panes.some(({ source }) => source.isBusy));
    data.frames = String(Number(data.frames ?? 0) + 1);
    data.drawn = (performance.now() - begin).toFixed(2);
  }

  drawAll() {
    this.stale = false;
    const areLeft = this.panes.map((pane) => pane.draw());
    if (areLeft.includes(true)) this.redraw();
    const isDone = [this.panels.draw(), ...this.panes.map((pane) => pane.updateStatus())];
    if (isDone.includes(false)) this.resting = setTimeout(() => this.redraw(), IDLE_DELAY);
    const data = this.section.dataset;
    data.renderer = this.panes[0].diagram.plot.renderer.name;
    data.from = String(this.view.from);
    data.to = String(this.view.to);
    data.cursor = String(this.view.cursor ?? "");
    data.selection = this.view.selection ? `${this.view.selection.from} ${this.view.selection.to}` : "";
  }

  /** Announces a text to screen readers. @param {string} text */
  announce(text) {
    this.live.textContent = text;
  }

  /** Shows the details of a state or message, or none. @type {import("./diagram.js").App["choose"]} */
  choose(diagram, chosen) {
    if (chosen) this.details.show(diagram, chosen);
    else if (!this.details.box.hidden) this.details.close();
  }

  /** @param {(rows: import("./rows.js").Rows) => void} change */
  eachRows(change) {
    for (const { diagram } of this.panes) change(diagram.rows);
    this.redraw();
  }

  /** Returns the colours of the states of a timeline. @param {import("./source.js").Source} source */
  shading(source) {
    let shading = this.shadings.get(source);
    if (!shading) {
      shading = new Shading(this.colours, this.hidden, this.byFunction && !this.gantt ? this.functions : null, source.meta.functions ?? source.meta.calls);
      this.shadings.set(source, shading);
    }
    return shading;
  }

  /** Hides or shows states of a colour, or shows only these. @param {number} slot @param {boolean} isOnly */
  filter(slot, isOnly) {
    const bits = this.gantt && slot === 1 ? 0b1110 : 1 << slot;
    const only = ~bits & 0xffff;
    this.hidden = isOnly ? (this.hidden === only ? 0 : only) : this.hidden ^ bits;
    this.recolour();
  }

  /** Redraws with other colours. */
  recolour() {
    this.shadings.clear();
    const shading = this.shading(this.panes[0].source);
    this.legend.update({ gantt: this.gantt, path: this.path, messages: this.messages, shading, functions: this.functions.length });
    this.redraw();
  }

  showHelp() {
    if (this.help.open) this.help.close();
    else this.help.showModal();
  }

  /** @param {boolean} dark */
  theme(dark) {
    this.dark = dark;
    this.section.dataset.theme = dark ? "dark" : "light";
    this.colours = palette(dark, this.gantt);
    const on = { gantt: this.gantt, messages: this.messages, path: this.path, selects: this.selects, theme: dark };
    this.toolbar.update(on);
    this.recolour();
  }

  /** @param {"messages" | "path" | "gantt" | "selects" | "theme" | "play"} what */
  toggle(what) {
    if (what === "play") return this.panels.play();
    if (what === "gantt") {
      // A Gantt chart shows ranks only.
      this.gantt = !this.gantt;
      this.hidden = 0;
      this.messages = this.path = !this.gantt;
    } else if (what !== "theme") {
      this[what] = !this[what];
    }
    this.theme(what === "theme" ? !this.dark : this.dark);
  }

  /** Centre of zooming by keyboard: the pointer, or the middle of the view. */
  get middle() {
    const pointed = this.panes.find(({ diagram }) => diagram.pointer && diagram.pointer.x >= 0)?.diagram;
    return pointed?.pointer ? pointed.timeAt(pointed.pointer.x) : (this.view.from + this.view.to) / 2;
  }

  listen() {
    const { view } = this;
    const eachDiagram = (/** @type {(diagram: import("./diagram.js").Diagram) => void} */ act) => this.panes.forEach(({ diagram }) => act(diagram));
    /** @type {import("./keys.js").Actions} */
    const actions = {
      zoom: (by) => view.zoom(by, this.middle), pan: (share) => view.pan(share), scroll: (pixels) => eachDiagram((diagram) => diagram.scrollRows(pixels)),
      rows: (by) => eachDiagram((diagram) => diagram.zoomRows(by, diagram.plotHeight / 2)), fit: () => this.fit(), focus: () => view.zoomToSelection() || this.fit(),
      edge: (end) => view.centre(end * view.span), search: () => this.search.field.focus(), help: () => this.showHelp(),
      toggle: (what) => this.toggle(what), panel: (panel) => this.panels.choose(panel),
      step: (by) => this.search.step(by), neighbour: (by) => this.details.step(by),
      close: () => this.close(), undo: (by) => this.views?.step(by) ?? false,
    };
    // Inside another page, shortcuts apply only while the section has the focus.
    const target = this.isPage ? document : this.section;
    if (this.isPage) addEventListener("hashchange", () => this.follow());
    target.addEventListener("keydown", (event) => {
      if (!(event instanceof KeyboardEvent) || event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || this.help.open) return;
      if ((event.key === " " || event.key === "Enter") && event.target instanceof HTMLButtonElement) return;
      if (!press(event, actions)) return;
      event.preventDefault();
      this.announceView();
    });
    const resized = new ResizeObserver(() => this.redraw());
    for (const box of [this.section, this.panes[0].box, this.panels.box]) resized.observe(box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => this.theme(event.matches));
  }

  /** Closes the details, or clears the selection; returns whether there was either. */
  close() {
    if (!this.details.box.hidden) this.details.close();
    else if (this.view.selection) this.view.select(null);
    else return false;
    return true;
  }

  fit() {
    this.eachRows((rows) => ([rows.zoom, rows.scroll] = [1, 0]));
    this.view.fit();
  }

  /** Announces the time in view, after a pause. */
  announceView() {
    clearTimeout(this.announcing);
    this.announcing = setTimeout(() => this.announce(`In view: ${time(Math.max(0, this.view.from))} to ${time(Math.min(this.view.span, this.view.to))}`), 600);
  }

  /** @type {Views | undefined} */
  views = undefined;
  /** The address last written. */
  address = "";
  /** @type {number | undefined} */
  announcing = undefined;
  /** Timer of deferred drawing, while there is some. @type {number | undefined} */
  resting = undefined;
}
