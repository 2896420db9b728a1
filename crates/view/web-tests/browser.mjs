// Browser tests of the viewer: node browser.mjs PROGRAM FOLDER, where PROGRAM is the example
// `scenes` and FOLDER holds the output of its `pages`. PANTO_UPDATE=1 rewrites the golden images;
// PANTO_ONLY selects tests by a part of their name.
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { hands } from "./hands.mjs";
import { looks } from "./looks.mjs";
import { launch, open } from "./support.mjs";
import { study } from "./study.mjs";
import { use } from "./use.mjs";

const [program, folder] = process.argv.slice(2);
const file = (name, query = "") => pathToFileURL(join(folder, `${name}.html`)).href + query;
const browser = await launch();

/** Opens a page and checks what holds for all pages: no errors, no requests. */
async function shown(name, query = "", options = {}) {
  const watched = await open(browser, file(name, query), options);
  assert.deepEqual(watched.errors, [], `${name}: errors`);
  assert.deepEqual(watched.requests.slice(1).filter((url) => !url.startsWith("data:")), [], `${name}: requests`);
  return watched;
}

const given = { browser, shown, program, folder };
const tests = { ...use(given), ...study(given), ...hands(given), ...looks(given) };
let failed = 0;
const only = process.env.PANTO_ONLY;
for (const [name, test] of Object.entries(tests)) {
  if (only && !name.includes(only)) continue;
  const begin = Date.now();
  try {
    await test();
    console.log(`ok      ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error instanceof Error ? error.stack : error}`);
  }
}
await browser.close();
console.log(failed === 0 ? "all browser tests passed" : `${failed} browser tests failed`);
process.exit(failed === 0 ? 0 : 1);
