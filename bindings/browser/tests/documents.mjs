// Runs examples in the module, in Node, and compares each document with that of the command:
// documents.mjs FOLDER DOCUMENTS, where DOCUMENTS/EXAMPLE.json is the command's.

import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, documents] = process.argv.slice(2).map((path) => resolve(path));
const { start } = await import(pathToFileURL(join(folder, "engine.js")));
const module = await WebAssembly.compile(await readFile(join(folder, "waywarden.wasm")));
const names = JSON.parse(await readFile(join(folder, "examples.json"), "utf8"));
let different = 0;
for (const name of names) {
  const [text, expected] = await Promise.all([
    readFile(join(folder, "examples", name), "utf8"),
    readFile(join(documents, `${name}.json`), "utf8"),
  ]);
  let told = 0;
  const call = await start(module, () => (told += 1));
  const begun = performance.now();
  const { parts, faults } = call("waywarden_run", text, JSON.stringify({ name }));
  const seconds = ((performance.now() - begun) / 1e3).toFixed(1);
  const is = parts && new TextDecoder().decode(parts[0]) === expected && told >= 200;
  if (!is) different += 1;
  console.log(
    `browser: ${name}: ${is ? `as native, ${seconds} s` : `DIFFERS ${JSON.stringify(faults ?? "")}`}`,
  );
}
console.log(`browser: ${names.length - different} of ${names.length} documents as native`);
process.exit(different ? 1 : 0);
