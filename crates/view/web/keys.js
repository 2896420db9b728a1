// Keyboard shortcuts.

/** Shortcuts and their effects, for the help. @type {[string, string][]} */
export const KEYS = [
  ["W, + or wheel up", "zoom in"], ["S, - or wheel down", "zoom out"], ["A, ←", "pan to earlier times"], ["D, →", "pan to later times"],
  ["↑ ↓, Shift+wheel", "scroll ranks"], ["[ ], Alt+wheel", "shrink or grow rows"], ["Ctrl+wheel, pinch", "zoom in or out"], ["two fingers", "pan; apart or together: zoom"], ["Ctrl+Z, Backspace", "undo zooming and panning (Ctrl+Y: redo)"], ["0", "fit everything"], ["F", "zoom to the selection, or fit everything"],
  ["Home, End", "go to the start or the end"], ["/", "search for a rank or a call"], ["N, Enter", "next result (with Shift: previous)"], ["M", "toggle messages"], ["C", "toggle the critical path"], ["G", "Gantt chart or space-time diagram"],
  ["T", "light or dark theme"], ["1 to 9", "choose a panel"], ["Space", "play the animation on the topology"], ["?", "this help"],
  ["drag", "pan"], ["Shift+drag", "select an interval, whose totals the panels show"], ["E", "select by dragging, without Shift"], ["double click", "zoom in"], ["click", "set the time cursor; show the details of a state or message"], [", .", "previous, next state of the rank"], ["Esc", "close the details, then clear the selection"],
];

/**
 * @typedef {object} Actions
 * @property {(by: number) => void} zoom
 * @property {(share: number) => void} pan
 * @property {(pixels: number) => void} scroll
 * @property {(by: number) => void} rows
 * @property {() => void} fit
 * @property {(by: 1 | -1) => boolean} undo goes back to the previous view, or forward
 * @property {() => void} focus zooms to the selection, or fits everything
 * @property {(end: number) => void} edge
 * @property {() => void} search
 * @property {() => void} help
 * @property {(what: "messages" | "path" | "gantt" | "selects" | "theme" | "play") => void} toggle
 * @property {(panel: number) => void} panel
 * @property {(by: 1 | -1) => boolean} neighbour goes to the next or the previous state of the rank, if one is chosen
 * @property {() => boolean} close closes the details, if they are shown
 * @property {(by: number) => boolean} step goes to the next or the previous search result, if there is one
 */

/** Handles a key; returns whether it is a shortcut. @param {KeyboardEvent} event @param {Actions} act */
export function press(event, act) {
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && !event.altKey && (key === "z" || key === "y")) return act.undo(key === "y" || event.shiftKey ? 1 : -1);
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const step = event.shiftKey ? 0.5 : 0.15;
  if (/^[1-9]$/.test(event.key)) {
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
    case "Backspace": return act.undo(-1);
    case "0": act.fit(); break;
    case "f": act.focus(); break;
    case "e": act.toggle("selects"); break;
    case "Home": act.edge(0); break;
    case "End": act.edge(1); break;
    case "n": case "Enter": return act.step(event.shiftKey ? -1 : 1);
    case ",": return act.neighbour(-1);
    case ".": return act.neighbour(1);
    case "Escape": return act.close();
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
