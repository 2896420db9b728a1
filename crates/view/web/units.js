// Formatting of times, sizes and counts. Times are picoseconds since the start of a timeline.

const TIMES = [[1e12, "s"], [1e9, "ms"], [1e6, "us"], [1e3, "ns"], [1, "ps"]];
const LONG = [[86400e12, "d"], [3600e12, "h"], [60e12, "min"]];
const SIZES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/**
 * Formats a number with significant digits and without trailing zeros.
 * @param {number} value
 * @param {number} [digits]
 */
export function number(value, digits = 3) {
  if (!Number.isFinite(value)) return "-";
  const text = value.toPrecision(digits);
  return text.includes("e") ? String(Math.round(value)) : String(Number(text));
}

/** Returns the unit for a duration. @param {number} picos @returns {[number, string]} */
function unit(picos) {
  const size = Math.abs(picos);
  for (const [scale, name] of LONG) if (size >= 2 * Number(scale)) return [Number(scale), String(name)];
  for (const [scale, name] of TIMES) if (size >= Number(scale)) return [Number(scale), String(name)];
  return [1, "ps"];
}

/** Formats a duration. @param {number} picos @param {number} [digits] */
export function time(picos, digits = 3) {
  if (picos === 0) return "0 s";
  const [scale, name] = unit(picos);
  return `${number(picos / scale, digits)} ${name}`;
}

/** Formats a time with enough digits to distinguish times `apart` picoseconds apart. @param {number} picos @param {number} apart */
export function timestamp(picos, apart) {
  const [scale, name] = unit(Math.max(Math.abs(picos), apart));
  const digits = Math.max(0, Math.min(12, Math.ceil(Math.log10(scale / Math.max(apart, 1)))));
  return `${(picos / scale).toFixed(digits)} ${name}`;
}

/** @param {number} size */
export function bytes(size) {
  let place = 0;
  while (size >= 1024 && place < SIZES.length - 1) {
    size /= 1024;
    place += 1;
  }
  return `${number(size)} ${SIZES[place]}`;
}

/** Formats an integer with thousands separators. @param {number} value */
export function count(value) {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Formats a count briefly: 12.3k. @param {number} value */
export function brief(value) {
  for (const [scale, name] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (value >= Number(scale)) return number(value / Number(scale)) + name;
  }
  return number(value);
}

/** @param {number} share */
export function percent(share) {
  return `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;
}

/**
 * Returns round positions in a window, about `most` at most.
 * @param {number} from
 * @param {number} to
 * @param {number} most
 */
export function ticks(from, to, most) {
  const rough = (to - from) / Math.max(1, most);
  let step = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-9)));
  for (const by of [1, 2, 5, 10]) {
    if (step * by >= rough) {
      step *= by;
      break;
    }
  }
  const places = [];
  for (let at = Math.ceil(from / step); at * step <= to && places.length < 1000; at++) places.push(at * step);
  return { step, places };
}
