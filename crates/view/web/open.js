// Sources of tiles: the page itself, or the server that sent it.
import { DROPPED, Source } from "./source.js";
import { WHOLE, parse } from "./totals.js";

/** @typedef {import("./source.js").Meta} Meta */

/** Upper limit of simultaneous requests. */
const MAX_REQUESTS = 6;

/**
 * Opens timelines embedded in the page.
 * @param {{timelines: Meta[], pieces: [string, number, number][]}} list
 * @param {string} packed
 * @param {() => void} arrived
 */
export async function inside(list, packed, arrived) {
  const bytes = await unpack(packed);
  const places = new Map(list.pieces.map(([key, at, length]) => [key, [at, length]]));
  return list.timelines.map((meta, number) => {
    /** @param {string} key */
    const load = (key) => {
      const place = places.get(`${number}/${key}`);
      return place ? bytes.slice(place[0], place[0] + place[1]) : null;
    };
    const source = new Source(meta, load, arrived, true);
    const mine = `${number}/`;
    source.pieces = list.pieces.filter(([key]) => key.startsWith(mine)).map(([key]) => key.slice(mine.length));
    source.summary = new Float32Array(load("summary") ?? new ArrayBuffer(0));
    source.whole = parse(load(WHOLE)) ?? source.whole;
    return source;
  });
}

/** @param {string} text */
async function unpack(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).arrayBuffer();
}

/** A queue of requests, last in, first out: what is in view now matters more than what was. */
class Queue {
  constructor() {
    /** @type {{start: () => Promise<void>, drop: () => void, isTile: boolean}[]} */
    this.waiting = [];
    this.running = 0;
  }
  /** @param {string} path @param {boolean} isTile @returns {Promise<Response>} */
  get(path, isTile) {
    return new Promise((resolve, reject) => {
      this.waiting.push({ start: () => fetch(path).then(resolve, reject), drop: () => reject(DROPPED), isTile });
      this.next();
    });
  }
  /** Drops requests for tiles that have not started. */
  drop() {
    const tiles = this.waiting.filter(({ isTile }) => isTile);
    this.waiting = this.waiting.filter(({ isTile }) => !isTile);
    for (const { drop } of tiles) drop();
  }
  next() {
    if (this.running >= MAX_REQUESTS) return;
    const job = this.waiting.pop();
    if (!job) return;
    this.running += 1;
    job.start().finally(() => {
      this.running -= 1;
      this.next();
    });
  }
}

/**
 * Opens a timeline of the server. Resolves once the server has read all of it.
 * @param {number} number
 * @param {(share: number) => void} progress
 * @param {() => void} arrived
 */
export async function served(number, progress, arrived) {
  const queue = new Queue();
  /** @param {string} key */
  const get = async (key) => {
    const response = await queue.get(`t/${number}/${key}`, /^(states|traffic)/.test(key));
    if (response.status === 404) return null;
    if (!response.ok) throw new Error((await response.text()).trim());
    return response;
  };
  for (;;) {
    const response = await get("meta");
    const answer = await response?.json();
    if (answer && response?.status === 200) {
      const load = async (/** @type {string} */ key) => (await get(key))?.arrayBuffer() ?? null;
      const source = new Source(answer, load, arrived, false);
      source.drop = () => queue.drop();
      source.summary = new Float32Array((await load("summary")) ?? new ArrayBuffer(0));
      source.whole = parse(await load(WHOLE)) ?? source.whole;
      return source;
    }
    progress(answer?.progress ?? 0);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
