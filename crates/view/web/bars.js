// Horizontal bars with names and figures, as a list that is read without seeing it, too.
import { element } from "./chart.js";

/** A bar: its name, parts with a class and a share of the full width, and what is written behind it. @typedef {{name: string, parts: [string, number][], text: string, act?: () => void}} Bar */

/** Creates a list of bars. @param {string} caption @param {Bar[]} bars @param {string} note */
export function barList(caption, bars, note = "") {
  const items = bars.map(({ name, parts, text, act }) => {
    const label = act ? element("button", "link", { type: "button", title: `Highlight ${name}` }, [name]) : element("span", "", {}, [name]);
    if (act) label.addEventListener("click", act);
    const track = element("span", "track", { "aria-hidden": "true" }, parts.map(([key, share]) => {
      const part = element("i", key);
      part.style.width = `${Math.max(0, Math.min(100, 100 * share))}%`;
      return part;
    }));
    return element("li", "", {}, [label, track, element("span", "figure", {}, [text])]);
  });
  return element("section", "bars", {}, [element("h3", "", {}, [caption]), ...(note ? [element("p", "", {}, [note])] : []), element("ol", "", {}, items)]);
}
