// The keyboard.

/** Keys and what they do, for the help. @type {[string, string][]} */
export const KEYS = [
  ["W, + or wheel up", "zoom in"], ["S, - or wheel down", "zoom out"], ["A, ←", "move to earlier"], ["D, →", "move to later"],
  ["↑ ↓, Shift+wheel", "move between ranks"], ["[ ], Ctrl+wheel", "lower, higher rows"], ["0, F", "all of it"],
  ["Home, End", "the beginning, the end"], ["/", "search a rank or a call"], ["N, Enter", "the next that was found (with Shift: the one before)"], ["M", "messages"], ["C", "critical path"], ["G", "Gantt or space-time"],
  ["T", "light or dark"], ["1 to 7", "the panel below"], ["Space", "play, on the topology"], ["?", "this help"],
  ["drag", "move"], ["Shift+drag", "zoom to what is selected"], ["double click", "zoom in there"], ["click", "set the moment for the topology"],
];

/**
 * @typedef {object} Actions
 * @property {(by: number) => void} zoom
 * @property {(share: number) => void} pan
 * @property {(pixels: number) => void} scroll
 * @property {(by: number) => void} rows
 * @property {() => void} fit
 * @property {(end: number) => void} edge
 * @property {() => void} search
 * @property {() => void} help
 * @property {(what: "messages" | "path" | "gantt" | "theme" | "play") => void} toggle
 * @property {(panel: number) => void} panel
 * @property {(by: number) => boolean} step to the next or the last one that was found, if anything was
 */

/** Does what a key stands for; answers whether it stands for anything. @param {KeyboardEvent} event @param {Actions} act */
export function press(event, act) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const step = event.shiftKey ? 0.5 : 0.15;
  if (/^[1-7]$/.test(event.key)) {
    act.panel(Number(event.key) - 1);
    return true;
  }
  switch (event.key.length === 1 ? event.key.toLowerCase() : event.key) {
    case "w": case "+": case "=": act.zoom(0.7); break;
    case "s": case "-": case "_": act.zoom(1 / 0.7); break;
    case "a": case "ArrowLeft": act.pan(-step); break;
    case "d": case "ArrowRight": act.pan(step); break;
    case "ArrowUp": act.scroll(-60); break;
    case "ArrowDown": act.scroll(60); break;
    case "PageUp": act.scroll(-400); break;
    case "PageDown": act.scroll(400); break;
    case "[": act.rows(1 / 1.4); break;
    case "]": act.rows(1.4); break;
    case "0": case "f": act.fit(); break;
    case "Home": act.edge(0); break;
    case "End": act.edge(1); break;
    case "n": case "Enter": return act.step(event.shiftKey ? -1 : 1);
    case "/": act.search(); break;
    case "?": case "h": act.help(); break;
    case "m": act.toggle("messages"); break;
    case "c": act.toggle("path"); break;
    case "g": act.toggle("gantt"); break;
    case "t": act.toggle("theme"); break;
    case " ": act.toggle("play"); break;
    default: return false;
  }
  return true;
}
