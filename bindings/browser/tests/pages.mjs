// Uses the pages as a visitor does, in a headless Chromium:
// pages.mjs ADDRESS CHROMIUM DOCUMENTS SCREENSHOTS.

import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { Chromium } from "./chromium.mjs";

const [address, program, documents, screenshots] = process.argv.slice(2);
const CONTROL = 2;
const all = [];
let browser;

async function open(path, width, isDark) {
  const page = await browser.page(`${address}/${path}`, width, width < 600 ? 900 : 950, isDark);
  all.push(page);
  return page;
}

const shot = (page, name) => page.screenshot(join(screenshots, `${name}.png`));
const choose = (name) => `(async () => {
  const menu = document.getElementById("examples");
  menu.value = "${name}";
  menu.dispatchEvent(new Event("change"));
})()`;
const text = 'document.querySelector("#editor textarea").value';
const status = 'document.getElementById("status").textContent';
const ran =
  "!!document.querySelector('#verdict .verdict') && document.getElementById('report').dataset.shown === 'yes'";

// Replaces the text as a person does: selects all of it, and types.
async function write(page, content) {
  await page.value(
    'document.querySelector("#editor textarea").focus(); document.querySelector("#editor textarea").select()',
  );
  await page.type(content);
}

async function runs(page) {
  await page.value(choose("compact-car-attack.toml"));
  await page.until(
    `${text}.includes("compact-car-attack") && ${status}.includes("compact-car-attack")`,
    "the example is there",
  );
  await shot(page, "edit-1400");
  await page.click("run");
  await page.until(ran, "the run is over", 180);
  const expected = await readFile(join(documents, "compact-car-attack.toml.json"), "utf8");
  assert.equal(await page.value("document.getElementById('figures').textContent"), expected);
  assert.ok((await page.value("document.getElementById('report').srcdoc.length")) > 100_000);
  await shot(page, "run-1400");
  await page.click("tab-time");
  await page.value("document.getElementById('from').value = 2000");
  await page.click("look");
  await page.until(
    `${status}.startsWith("The time line shows 2000 ms")`,
    "the time line is there",
    180,
  );
  await page.value("document.querySelector('.time-line canvas').focus()");
  await page.press("n");
  assert.match(
    await page.value("document.querySelector('.time-line .detail').textContent"),
    / on .*, at \d+\.\d+ ms/,
  );
  await shot(page, "time-line-1400");
}

async function edits(page) {
  const minimal = await page.value("fetch('examples/minimal.toml').then((one) => one.text())");
  await write(page, minimal.replace(/^name = .*$/m, 'name = "edited"'));
  await page.until(`${status}.startsWith("edited:")`, "the edited file is checked");
  await page.press("Enter", { number: 13, modifiers: CONTROL });
  await page.until(
    `${status}.startsWith("edited:") && ${status}.includes("run in")`,
    "Ctrl+Enter runs it",
  );
  const report = await page.value("JSON.parse(document.getElementById('figures').textContent)");
  assert.equal(report.vehicle, "edited");
}

async function stops(page) {
  await page.value(choose("compact-car-secoc.toml"));
  await page.until(`${status}.startsWith("compact-car-secoc")`, "the example is there");
  await page.value("document.getElementById('duration').value = 3600000");
  await page.click("run");
  await page.until("document.getElementById('progress').hidden === false", "it runs");
  await page.until("document.getElementById('progress').value > 0", "it tells its progress");
  await shot(page, "running-1400");
  await page.click("stop");
  await page.until(`${status}.startsWith("Stopped")`, "it stops", 2);
  await page.value("document.getElementById('duration').value = 50");
  await page.click("run");
  await page.until(`${status}.includes("run in")`, "it runs again after that");
  await page.value("document.getElementById('duration').value = ''");
}

async function marks(page) {
  const minimal = await page.value("fetch('examples/minimal.toml').then((one) => one.text())");
  const lines = minimal.split("\n");
  const at = lines.findIndex((line) => line.startsWith("period"));
  lines[at] = lines[at].replace("period", "perod");
  await write(page, lines.join("\n"));
  await page.until(
    `!!document.querySelector("#problems li.bad[data-place^='${at + 1}:']")`,
    "the fault is told",
  );
  const marked = await page.value(
    "[...document.querySelectorAll('.gutter .bad')].map((one) => one.textContent)",
  );
  assert.ok(marked.includes(String(at + 1)), `${marked} are marked`);
  assert.match(await page.value("document.getElementById('problems').textContent"), /perod/);
  await shot(page, "broken-1400");
  await page.value("document.querySelector('#problems .place').click()");
  await write(page, "[[bus]\nname = ");
  await page.until("!!document.querySelector('#problems li.bad')", "what is not TOML is told");
}

async function completes(page) {
  await write(page, '[[bus]]\nname = "main"\nbit');
  await page.until("document.getElementById('completions').hidden === false", "keys are offered");
  assert.match(await page.value("document.getElementById('completions').textContent"), /bitrate/);
  await page.press("Tab", { number: 9 });
  assert.match(await page.value(text), /^bitrate = $/m);
  await write(page, '[[bus]]\nname = "main"\n[[ecu]]\nports = ["');
  await page.press(" ", { code: "Space", number: 32, modifiers: CONTROL });
  assert.match(
    await page.value("document.getElementById('completions').textContent"),
    /maina bus of this file/,
  );
  await page.press("Enter", { number: 13 });
  assert.match(await page.value(text), /ports = \["main"$/);
  await write(page, '[[attacker]]\nkind = "fl');
  await page.until(
    "document.getElementById('completions').textContent.includes('flood')",
    "words are offered",
  );
  await shot(page, "completion-1400");
  await page.press("ArrowDown", { number: 40 });
  await page.press("Enter", { number: 13 });
  assert.match(await page.value(text), /kind = "flood"$/);
  await page.press(" ", { code: "Space", number: 32, modifiers: CONTROL });
  await page.press("Escape", { number: 27 });
  assert.equal(await page.value("document.getElementById('completions').hidden"), true);
}

async function shares(page) {
  const content = `${await page.value("fetch('examples/minimal.toml').then((one) => one.text())")}# ÄÖ ✓\n`;
  await write(page, content);
  await page.click("link");
  await page.until(
    `location.hash.startsWith("#file=") && ${status}.includes("link of")`,
    "the link is made",
  );
  const hash = await page.value("location.hash");
  const other = await open(`playground.html${hash}`, 1400);
  assert.equal(await other.value(text), content);
  const broken = await open(`playground.html${hash.slice(0, 60)}`, 1400);
  assert.match(await broken.value(status), /does not carry a whole file/);
  // Random digits do not deflate to half.
  await write(
    page,
    `# ${[...crypto.getRandomValues(new Uint8Array(20_000))].map((byte) => byte.toString(16)).join("")}`,
  );
  await page.click("link");
  await page.until(`${status}.includes("a link carries at most")`, "a long file is refused");
  await Promise.all([other.close(), broken.close()]);
}

async function verifies(width) {
  const page = await open("v2x.html", width);
  await page.click("valid");
  await page.until(
    "document.querySelectorAll('.card.good').length > 3",
    "valid messages are accepted",
  );
  assert.equal(await page.value("document.querySelectorAll('.card.bad').length"), 0);
  await shot(page, `v2x-${width}`);
  await page.click("altered");
  await page.until(
    "!!document.querySelector('.card.bad') && !document.querySelector('.card.good')",
    "an altered one is refused",
  );
  assert.match(await page.value("document.getElementById('answers').textContent"), /signature/i);
  await page.click("inspect");
  await page.until(
    "document.querySelector('.card pre')?.textContent.includes('psid')",
    "fields are shown",
  );
  await shot(page, `v2x-inspect-${width}`);
  await page.value(
    "document.getElementById('pasted').value = '0202f37248b4ea00005a8ac678ce175997623022c6de3e239658ad00e0defe02c68a3f33f401ffba203fff945980'; document.getElementById('inspect').click()",
  );
  await page.until(
    "document.getElementById('answers').textContent.includes('CAM, release 1, EN 302 637-2')",
    "release and standard of a message are shown",
  );
  await page.value("document.querySelector('.card details').open = true");
  await shot(page, `v2x-message-${width}`);
  await fits(page, width);
  await page.value(
    "document.getElementById('pasted').value = 'zz not hex'; document.getElementById('verify').click()",
  );
  await page.until("!!document.querySelector('.card.bad')", "what is no message is told");
  await page.value(
    "document.getElementById('pasted').value = '0381004003800443414d20'; document.getElementById('at').value = 'now'; document.getElementById('verify').click()",
  );
  await page.until(`!${status}.startsWith("Working")`, "an unsigned message has a verdict");
  return fits(page, width);
}

async function fits(page, width) {
  const wide = await page.value("document.documentElement.scrollWidth");
  assert.ok(wide <= width, `the page is ${wide} wide in a window of ${width}`);
}

async function narrow() {
  const page = await open("playground.html", 420);
  await shot(page, "start-420");
  await page.click("run");
  await page.until(ran, "the run is over");
  await page.value("document.getElementById('results').scrollIntoView()");
  await shot(page, "run-420");
  await write(page, "[vehicle]\nname = 7\n");
  await page.until("!!document.querySelector('#problems li.bad')", "the fault is told");
  await page.value("scrollTo(0, 0)");
  await shot(page, "broken-420");
  await fits(page, 420);
}

async function dark() {
  const page = await open("playground.html", 1400, true);
  await page.click("run");
  await page.until(ran, "the run is over");
  await shot(page, "run-dark-1400");
}

// Every control is reached by Tab alone.
async function reachable(page) {
  await page.value("document.activeElement.blur(); scrollTo(0, 0)");
  const seen = new Set();
  for (let at = 0; at < 60; at += 1) {
    await page.press("Tab", { number: 9 });
    seen.add(await page.value("document.activeElement.id || document.activeElement.tagName"));
  }
  for (const id of [
    "examples",
    "open",
    "save",
    "link",
    "add",
    "duration",
    "seed",
    "run",
    "TEXTAREA",
    "tab-time",
  ]) {
    assert.ok(seen.has(id), `${id} is not reached by Tab: ${[...seen]}`);
  }
}

await mkdir(screenshots, { recursive: true });
browser = await Chromium.start(program);
try {
  const page = await open("playground.html", 1400);
  for (const step of [runs, edits, stops, marks, completes, shares, reachable]) {
    await step(page);
    console.log(`browser: a visitor: ${step.name}`);
  }
  await fits(page, 1400);
  for (const width of [1400, 420]) await verifies(width);
  await narrow();
  await dark();
  for (const { requests, complaints } of all) {
    assert.deepEqual(
      requests.filter((url) => !/^(about|data|blob):/.test(url) && !url.startsWith(`${address}/`)),
      [],
    );
    assert.deepEqual(complaints, []);
  }
  console.log(
    `browser: V2X messages, 420 px, dark; ${all.length} pages, no request leaves, none complains`,
  );
} finally {
  await browser.stop();
}
