// The panels below the diagrams, one of which is shown per timeline.
import { Backlog } from "./backlog.js";
import { element } from "./chart.js";
import { Concurrency } from "./concurrency.js";
import { Queues, Utilisation } from "./curves.js";
import { Durations } from "./durations.js";
import { Kiviat } from "./kiviat.js";
import { Matrix } from "./matrix.js";
import { Meter } from "./meter.js";
import { ScopeBar } from "./scope.js";
import { Portrait } from "./portrait.js";
import { PathProfile, Profile } from "./profile.js";
import { Statistics } from "./statistics.js";
import { Summary } from "./summary.js";
import { Topology } from "./topology.js";
import { Waits } from "./waits.js";

const NAMES = ["Utilisation", "Ranks", "Matrix", "Queues", "Phase portrait", "Topology", "Statistics", "Wait states", "Profile", "Durations", "Concurrency", "Kiviat", "Meter", "Processor queues", "Path profile"];
/** Pause before a panel is redrawn, as a multiple of its drawing time: the diagram has priority during motion. */
const PAUSE = 15;

/** What a panel shows: the interval of the totals (`scope`, the default is `view`), the time cursor, or all. @typedef {{box: HTMLElement, draw: () => void, follows?: string}} Panel */

/** The panels of all timelines. */
export class Panels {
  /** @param {import("./diagram.js").App} app @param {import("./pane.js").Pane[]} panes */
  constructor(app, panes) {
    this.app = app;
    this.all = panes.map((pane) => panels(app, pane));
    this.panel = 0;
    this.tabs = element("div", "tabs", { role: "tablist", "aria-label": "Panels" }, NAMES.map((name, i) => this.tab(name, i)));
    this.box = element("div", "panel", { role: "tabpanel" });
    this.totals = panes.map(({ totals }) => totals);
    this.scope = new ScopeBar(app.view);
    /** Earliest time of the next drawing. */
    this.due = 0;
  }

  /** @param {string} name @param {number} i */
  tab(name, i) {
    const tab = element("button", "", { type: "button", role: "tab", title: i < 9 ? `${name} (${i + 1})` : name }, [name]);
    tab.addEventListener("click", () => this.choose(i));
    return tab;
  }

  /** The panels that are shown. */
  get shown() {
    return this.all.map((panels) => panels[this.panel]);
  }

  /** Name of the panel that is shown. */
  get name() {
    return NAMES[this.panel];
  }

  /** Shows the panel with a name, or the first. @param {string} name */
  chooseNamed(name) {
    this.choose(Math.max(0, NAMES.indexOf(name)));
  }

  /** Shows a panel of each timeline. @param {number} panel */
  choose(panel) {
    this.panel = panel;
    this.due = 0;
    [...this.tabs.children].forEach((tab, i) => tab.setAttribute("aria-selected", String(i === panel)));
    this.box.setAttribute("aria-label", NAMES[panel]);
    this.box.replaceChildren(...this.shown.map(({ box }) => box));
    this.app.redraw();
  }

  /** Draws the shown panels, unless that was done just now; returns whether they are up to date. */
  draw() {
    const begin = performance.now();
    const isPlaying = this.shown.some((panel) => panel instanceof Topology && panel.playing);
    if (begin < this.due && !isPlaying) return false;
    for (const panel of this.shown) panel.draw();
    const follows = this.shown[0].follows ?? "view";
    const isStale = follows === "scope" && this.isStale;
    this.scope.update(follows, isStale);
    this.box.classList.toggle("stale", isStale);
    const end = performance.now();
    this.due = end + PAUSE * (end - begin);
    return true;
  }

  /** Whether totals are being computed. */
  get isStale() {
    return this.totals.some(({ isStale }) => isStale) || this.shown.some((panel) => panel instanceof Backlog && panel.isBusy);
  }

  /** Starts or stops the animation of the topology. */
  play() {
    for (const panel of this.shown) if (panel instanceof Topology) panel.toggle();
  }
}

/** @param {import("./diagram.js").App} app @param {import("./pane.js").Pane} pane @returns {Panel[]} */
function panels(app, { source, diagram, totals }) {
  return [
    new Utilisation(app, source), new Summary(app, source, diagram.rows, totals), new Matrix(app, source), new Queues(app, source),
    new Portrait(app, source), new Topology(app, source), new Statistics(app, source, totals), new Waits(source, diagram), new Profile(app, source, totals), new Durations(app, source, totals),
    new Concurrency(app, source), new Kiviat(app, source, totals), new Meter(app, source), new Backlog(app, source), new PathProfile(app, source),
  ];
}
