// Colours. States differ in lightness too and waiting is hatched, so that telling hues apart is not
// necessary.

export const KINDS = ["compute", "message", "combine", "access", "wait"];
export const LABELS = ["compute", "message overhead", "copy and reduce", "I/O and remote access", "wait"];
/** Order of kinds in a stack, from bottom to top. */
export const STACK = [0, 2, 1, 3, 4];
export const WAIT = 4;

const LIGHT = {
  kinds: ["#1f6fae", "#e8a317", "#7cc1ec", "#0f9d76", "#d9541e"],
  tint: "#fbe3d6", plot: "#fbfcfd", band: "#f1f4f7", ink: "#1b2733", soft: "#5d6b79", grid: "#dfe5ea",
  message: "#243746", path: "#15191d", halo: "#ffffff", cursor: "#b0006d", idle: "#e9edf1",
  functions: ["#c8553d", "#3f9142", "#8e5bb5", "#c9a227", "#2a9d9d", "#c2477f", "#6b7fd7", "#8a6d3b"], other: "#6f7d8a", several: "#b4bec7",
};
const DARK = {
  kinds: ["#4a9bdc", "#f2b73c", "#a9dbf8", "#35c39a", "#ef7a44"],
  tint: "#43251a", plot: "#11171d", band: "#171f27", ink: "#e6edf3", soft: "#93a1ae", grid: "#26313b",
  message: "#c9d6e2", path: "#ffffff", halo: "#0b0f13", cursor: "#ff7cc8", idle: "#1f2932",
  functions: ["#ee8368", "#6cc070", "#bd8ee0", "#e8c95a", "#55c9c9", "#ee7fb0", "#95a6f5", "#c9a36a"], other: "#94a3b1", several: "#56636f",
};

/** @typedef {typeof LIGHT} Palette */

/** Reduces a palette to the three colours of a Gantt chart: busy, overhead, idle. @param {Palette} colours @returns {Palette} */
function gantt(colours) {
  const [busy, overhead] = colours.kinds;
  return { ...colours, kinds: [busy, overhead, overhead, overhead, colours.idle], tint: colours.idle };
}

const GANTT = [gantt(LIGHT), gantt(DARK)];

/** Returns the colours of a theme. @param {boolean} dark @param {boolean} coarse three colours only @returns {Palette} */
export function palette(dark, coarse) {
  if (coarse) return GANTT[dark ? 1 : 0];
  return dark ? DARK : LIGHT;
}

/** Returns red, green and blue from 0 to 1. @param {string} colour @returns {[number, number, number]} */
export function rgb(colour) {
  const bits = parseInt(colour.slice(1), 16);
  return [(bits >> 16) / 255, ((bits >> 8) & 255) / 255, (bits & 255) / 255];
}

/** Returns a colour with transparency. @param {string} colour @param {number} alpha */
export function faded(colour, alpha) {
  const [red, green, blue] = rgb(colour).map((part) => Math.round(part * 255));
  return `rgba(${red},${green},${blue},${alpha})`;
}

/** Returns a colour between dark blue and light yellow whose lightness grows with the share. @param {number} share */
export function heat(share) {
  const stops = [[24, 32, 84], [35, 98, 148], [44, 157, 143], [140, 202, 98], [250, 231, 95]];
  const at = Math.max(0, Math.min(1, share)) * (stops.length - 1);
  const place = Math.min(stops.length - 2, Math.floor(at));
  const mix = stops[place].map((part, i) => Math.round(part + (stops[place + 1][i] - part) * (at - place)));
  return `rgb(${mix.join(",")})`;
}

/** Returns the hatching of waits. @param {CanvasRenderingContext2D} context @param {Palette} colours @returns {CanvasPattern | string} */
export function hatch(context, colours) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const inner = tile.getContext("2d");
  if (!inner) return colours.kinds[WAIT];
  inner.fillStyle = colours.tint;
  inner.fillRect(0, 0, 6, 6);
  inner.strokeStyle = colours.kinds[WAIT];
  inner.lineWidth = 1.5;
  inner.beginPath();
  for (const shift of [-6, 0, 6]) {
    inner.moveTo(shift - 1, 7);
    inner.lineTo(shift + 7, -1);
  }
  inner.stroke();
  return context.createPattern(tile, "repeat") ?? colours.kinds[WAIT];
}
