// Shared parts of the browser tests: the browser, watched pages, and image comparison.
import { chromium } from "playwright-core";
import { spawn } from "node:child_process";

export const LONG = 60_000;
/** Chromium renders as on a machine without a GPU, WebGL2 in software. */
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--hide-scrollbars", "--force-device-scale-factor=1"];

/** What interaction is tested on: a desktop and a phone, light and dark. */
export const LOOKS = [
  { viewport: { width: 1000, height: 720 }, colorScheme: "light" },
  { viewport: { width: 390, height: 844 }, colorScheme: "dark", hasTouch: true },
];

/** Launches Debian's Chromium with software rendering. */
export function launch() {
  return chromium.launch({ executablePath: process.env.PANTO_CHROMIUM ?? "/usr/bin/chromium", args: ARGUMENTS });
}

/** Opens a page, optionally with an initial script; collects its requests and errors. */
export async function open(browser, url, { script, ...options } = {}) {
  const page = await browser.newPage({ viewport: { width: 1000, height: 720 }, colorScheme: "light", ...options });
  if (script) await page.addInitScript(script);
  const watched = { page, errors: [], requests: [] };
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && !ours(message.text()) && watched.errors.push(message.text()));
  page.on("pageerror", (error) => watched.errors.push(String(error)));
  page.on("request", (request) => watched.requests.push(request.url()));
  await page.goto(url, { timeout: LONG });
  await settle(page);
  return watched;
}

/** Chromium's warnings about reading pixels back, which only tests do. */
const ours = (text) => text.includes("GPU stall") || text.includes("willReadFrequently") || text.includes("Automatic fallback to software WebGL");

/** Waits until the page is idle. */
export async function settle(page) {
  const state = () => page.evaluate(() => {
    const all = [...document.querySelectorAll(".panto-view")].map(({ dataset }) => dataset);
    const done = all.length > 0 && all.every(({ frames, busy }) => Number(frames) > 0 && busy === "false");
    return done ? all.map(({ frames }) => frames).join() : "";
  });
  const end = Date.now() + LONG;
  for (let last = "none"; Date.now() < end; ) {
    await page.waitForTimeout(40);
    const now = await state();
    if (now && now === last) return;
    last = now;
  }
  throw new Error("the page does not become idle");
}

/** Runs an action and waits until the page is idle. */
export async function act(page, action) {
  await action();
  await settle(page);
}

/** Returns the time in view. */
export const view = (page) => page.evaluate(() => {
  const { from, to } = document.querySelector(".panto-view").dataset;
  return { from: Number(from), to: Number(to) };
});

/** Returns the number of colours of a canvas, and the share that is not empty. */
export const colours = (page, selector) => page.evaluate((selector) => {
  const source = document.querySelector(selector);
  const copy = Object.assign(document.createElement("canvas"), { width: source.width, height: source.height });
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(source, 0, 0);
  const words = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
  return { colours: new Set(words).size, filled: words.reduce((count, word) => count + (word !== 0 ? 1 : 0), 0) / words.length };
}, selector);

/** Returns a canvas as PNG. */
export const picture = (page, selector) => page.evaluate((selector) => document.querySelector(selector).toDataURL("image/png"), selector);

/** Returns the share of pixels that differ visibly between two images; scaled down, stripes and edges do not matter. */
export const difference = (page, one, other, scale = 1) => page.evaluate(async ([one, other, scale]) => {
  const pixels = async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: Math.round(image.width * scale), height: Math.round(image.height * scale) });
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.imageSmoothingQuality = "high";
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return context.getImageData(0, 0, canvas.width, canvas.height);
  };
  const [a, b] = [await pixels(one), await pixels(other)];
  if (a.width !== b.width || a.height !== b.height) return 1;
  let different = 0;
  for (let i = 0; i < a.data.length; i += 4) {
    const far = Math.max(...[0, 1, 2].map((part) => Math.abs(a.data[i + part] - b.data[i + part])));
    different += far > 48 ? 1 : 0;
  }
  return different / (a.width * a.height);
}, [one, other, scale]);

/** Serves timelines; returns the address and a function to stop. */
export async function serve(program, files) {
  const child = spawn(program, ["serve", ...files], { stdio: ["pipe", "pipe", "inherit"] });
  const url = await new Promise((resolve, reject) => {
    child.stdout.once("data", (text) => resolve(String(text).trim()));
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { url, end: () => child.stdin.end() };
}
