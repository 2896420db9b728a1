// The edge between the diagrams and the panel, which moves.
import { element } from "./chart.js";

/** Limits of the height of the panel in pixels, and the step of a key. */
const [LEAST, STEP] = [90, 24];

/** Creates a handle that resizes the box below it. @param {HTMLElement} box @param {HTMLElement} all what both are in @param {() => void} changed */
export function handle(box, all, changed) {
  const made = element("div", "resize", { role: "separator", tabindex: "0", "aria-orientation": "horizontal", "aria-label": "Height of the panel: drag, or press the arrow keys" });
  const set = (/** @type {number} */ height) => {
    const most = Math.max(LEAST, all.clientHeight - 260);
    box.style.flexBasis = `${Math.round(Math.max(LEAST, Math.min(most, height)))}px`;
    made.setAttribute("aria-valuenow", String(Math.round(box.clientHeight)));
    changed();
  };
  /** @type {{y: number, height: number} | null} */
  let begin = null;
  made.addEventListener("pointerdown", (event) => {
    made.setPointerCapture(event.pointerId);
    begin = { y: event.clientY, height: box.clientHeight };
  });
  made.addEventListener("pointermove", (event) => begin && set(begin.height - (event.clientY - begin.y)));
  for (const name of ["pointerup", "pointercancel"]) made.addEventListener(name, () => (begin = null));
  made.addEventListener("dblclick", () => {
    box.style.flexBasis = "";
    changed();
  });
  made.addEventListener("keydown", (event) => {
    const by = { ArrowUp: STEP, ArrowDown: -STEP }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    set(box.clientHeight + by);
  });
  return made;
}
