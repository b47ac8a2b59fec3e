// The page on which a vehicle file is written, checked while it is written, and run.

import { Completion } from "./completion.js";
import { Editor, element } from "./editor.js";
import { Laboratory, Stopped } from "./laboratory.js";
import { fileOf, linkOf } from "./link.js";
import { TimeLine } from "./time_line.js";

// Text behind the last change is checked after so many milliseconds.
const CHECK_AFTER = 250;
const FILE_MAX = 4 << 20;

const by = (id) => document.getElementById(id);
const editor = new Editor(by("editor"));
const timeLine = new TimeLine(by("view-time"));
// One checks while the other runs.
const checker = new Laboratory();
const runner = new Laboratory();
const added = new Map();
let checked = 0;
let last = null;
// The name of the file, for the places in documents.
let name = "vehicle.toml";
// True once a visitor has chosen the part of the run that the time line shows.
let isWindowChosen = false;

function say(text, isBad = false) {
  by("status").textContent = text;
  by("status").classList.toggle("bad", isBad);
}

function options(more = {}) {
  return JSON.stringify({ name, files: Object.fromEntries(added), ...more });
}

function seconds(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

// Faults and warnings, in the list and at their lines.
function list(faults, omitted, kind) {
  const items = faults.map((fault) => {
    const item = element("li", kind);
    const where = fault.line ? `${fault.line}:${fault.column} ` : "";
    if (fault.line) {
      const button = element("button", "place", `line ${fault.line}`);
      button.type = "button";
      button.addEventListener("click", () => editor.go(fault.line, fault.column));
      item.append(button, " ");
    }
    item.append(fault.text);
    item.dataset.place = where.trim();
    return item;
  });
  if (omitted) items.push(element("li", kind, `and ${omitted} more`));
  const all = element("ul", "");
  all.append(...items);
  by("problems").replaceChildren(...(items.length ? [all] : []));
  editor.mark(faults.map(({ line, text }) => ({ line, text, kind })));
}

async function check() {
  const mine = ++checked;
  try {
    const answer = await checker.call("waywarden_check", editor.text, options());
    if (mine !== checked) return;
    if (answer.faults) {
      list(answer.faults, answer.omitted, "bad");
      if (!last?.isRunning)
        say(
          answer.faults.length === 1
            ? "The file has a fault."
            : `The file has ${answer.faults.length + answer.omitted} faults.`,
          true,
        );
      return;
    }
    const summary = JSON.parse(answer.parts[0]);
    list(summary.warnings, 0, "note");
    // Behind the start, of which little is to be seen on a bus.
    if (!isWindowChosen)
      by("from").value = summary.duration_ms >= 2000 ? 1000 : Math.floor(summary.duration_ms / 2);
    const count = (many, noun) =>
      `${many.length} ${noun}${many.length === 1 ? "" : many === summary.buses ? "es" : "s"}`;
    if (!last?.isRunning) {
      say(
        `${summary.name}: ${count(summary.buses, "bus")}, ${count(summary.ecus, "ECU")}, ${count(summary.streams, "stream")}; a run is ${summary.duration_ms.toLocaleString("en")} ms.`,
      );
    }
  } catch (error) {
    if (!(error instanceof Stopped)) say(error.message, true);
  }
}

let timer;
editor.onchange = () => {
  clearTimeout(timer);
  timer = setTimeout(check, CHECK_AFTER);
};

function replace(text, itsName) {
  editor.text = text;
  name = itsName;
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  return check();
}

// The length and seed beside the button, as options of a run.
function chosen() {
  const more = {};
  const duration = by("duration").value.trim();
  const seed = by("seed").value.trim();
  if (duration) {
    more.duration_ms = Number(duration.replace(/\s*ms$/, ""));
    if (!Number.isFinite(more.duration_ms))
      throw new Error(`The duration "${duration}" is no number of milliseconds.`);
  }
  if (seed) more.seed = seed;
  return more;
}

async function simulate(more) {
  by("run").disabled = true;
  by("stop").disabled = false;
  by("progress").value = 0;
  by("progress").hidden = false;
  // Of the run before.
  by("results").setAttribute("aria-busy", "true");
  runner.onprogress = (done, total) => {
    by("progress").value = (done / total) * 1000;
    say(`Running: ${Math.round((done / total) * 100)} %`);
  };
  last = { ...last, isRunning: true };
  say("Running …");
  try {
    return await runner.call("waywarden_run", last.text, options(more));
  } finally {
    last.isRunning = false;
    by("run").disabled = false;
    by("stop").disabled = true;
    by("progress").hidden = true;
    by("results").removeAttribute("aria-busy");
  }
}

async function run() {
  try {
    const given = chosen();
    const window = timeWindow();
    last = { text: editor.text, given };
    const answer = await simulate({ ...given, page: true, time_line_ms: window });
    if (answer.faults) {
      list(answer.faults, answer.omitted, "bad");
      return say("The file cannot be run.", true);
    }
    const [document_, page, time] = answer.parts;
    Object.assign(last, { document: document_, page, time });
    show(JSON.parse(document_), answer.ms);
    delete by("report").dataset.shown;
    by("report").srcdoc = page;
    by("figures").textContent = document_;
    timeLine.load(time, window);
  } catch (error) {
    if (error instanceof Stopped) say("Stopped. What ran before is still shown.");
    else say(error.message, true);
  }
}

function show(report, ms) {
  const missed = report.requirements.filter(({ met }) => !met);
  const count = report.requirements.length;
  const [text, kind] = !count
    ? ["The file requires nothing", "neutral"]
    : missed.length
      ? [`${missed.length} of ${count} requirements missed`, "bad"]
      : [count === 1 ? "The requirement is met" : `All ${count} requirements are met`, "good"];
  const rows = report.requirements
    .slice()
    .sort((one, other) => one.met - other.met)
    .map((one) => {
      const row = element("li", one.met ? "good" : "bad");
      row.append(
        element("b", "", one.met ? "met" : "missed"),
        ` ${one.title}${one.subject ? ` (${one.subject})` : ""}: ${one.measured_text}, required ${one.required_text}`,
      );
      return row;
    });
  const verdict = [element("p", `verdict ${kind}`, text)];
  if (rows.length) {
    const details = element("details", "");
    details.append(element("summary", "", "Requirements"), element("ul", "requirements"));
    details.lastChild.append(...rows);
    verdict.push(details);
  }
  by("verdict").replaceChildren(...verdict);
  document.querySelector(".tabs").hidden = false;
  choose(document.querySelector("[role=tab][aria-selected=true]"));
  if (matchMedia("(max-width: 900px)").matches) by("results").scrollIntoView();
  say(
    `${report.vehicle}: ${report.duration_ms.toLocaleString("en")} ms with seed ${report.seed}, run in ${seconds(ms)}.`,
  );
}

function timeWindow() {
  const from = Number(by("from").value);
  const length = Number(by("length").value);
  if (!(from >= 0 && length > 0 && length <= 1000)) {
    throw new Error(
      "The time line begins at 0 ms or later and is above 0 and at most 1,000 ms long.",
    );
  }
  return [from, from + length];
}

// Another part of the same run: it is made again up to there, for the same seed is the same run.
async function look() {
  if (!last?.document) return;
  try {
    const window = timeWindow();
    const before = { ...last };
    const answer = await simulate({ ...last.given, time_line_ms: window });
    last = { ...before, isRunning: false };
    if (answer.faults) return say(answer.faults[0].text, true);
    last.time = answer.parts[2];
    timeLine.load(last.time, window);
    say(`The time line shows ${window[0]} ms to ${window[1]} ms.`);
  } catch (error) {
    say(
      error instanceof Stopped ? "Stopped. What ran before is still shown." : error.message,
      !(error instanceof Stopped),
    );
  }
}

function choose(tab) {
  for (const one of document.querySelectorAll("[role=tab]")) {
    const is = one === tab;
    one.setAttribute("aria-selected", String(is));
    one.tabIndex = is ? 0 : -1;
    by(one.getAttribute("aria-controls")).hidden = !is;
  }
}

function save(text, file, type) {
  const link = element("a", "");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function stem() {
  const found = editor.text.match(/^\s*name\s*=\s*"([A-Za-z0-9_.-]+)"/m);
  return found ? found[1] : "vehicle";
}

async function open(file, take) {
  if (file.size > FILE_MAX)
    return say(`${file.name} has more than 4 MiB, the most that the page reads.`, true);
  take(await file.text());
}

async function share() {
  // A check that is still to come would speak last.
  clearTimeout(timer);
  await check();
  try {
    const link = await linkOf(editor.text, location.href);
    history.replaceState(null, "", link);
    const copied = await navigator.clipboard.writeText(link).then(
      () => true,
      () => false,
    );
    say(
      `${copied ? "Copied: a" : "The address of this page is now a"} link of ${link.length.toLocaleString("en")} characters that carries the file.`,
    );
  } catch (error) {
    say(error.message, true);
  }
}

function listen() {
  by("run").addEventListener("click", run);
  by("stop").addEventListener("click", () => runner.stop());
  by("link").addEventListener("click", share);
  by("look").addEventListener("click", look);
  for (const id of ["from", "length"])
    by(id).addEventListener("input", () => (isWindowChosen = true));
  by("report").addEventListener("load", ({ target }) => (target.dataset.shown = "yes"));
  by("save").addEventListener("click", () => save(editor.text, `${stem()}.toml`, "text/plain"));
  by("save-json").addEventListener("click", () =>
    save(last.document, `${stem()}.json`, "application/json"),
  );
  by("save-report").addEventListener("click", () => save(last.page, `${stem()}.html`, "text/html"));
  by("save-time").addEventListener("click", () =>
    save(last.time, `${stem()}-time-line.json`, "application/json"),
  );
  by("open").addEventListener("click", () => by("opened").click());
  by("opened").addEventListener(
    "change",
    ({ target }) =>
      target.files[0] && open(target.files[0], (text) => replace(text, target.files[0].name)),
  );
  by("add").addEventListener("click", () => by("added").click());
  by("added").addEventListener("change", async ({ target }) => {
    for (const file of target.files) await open(file, (text) => added.set(file.name, text));
    await check();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !by("run").disabled) run();
  });
  const tabs = [...document.querySelectorAll("[role=tab]")];
  tabs.forEach((tab, at) => {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(at + step + tabs.length) % tabs.length];
      choose(next);
      next.focus();
    });
  });
  by("examples").addEventListener("change", async ({ target }) => {
    if (target.value) await replace(await example(target.value), target.value);
  });
  addEventListener("hashchange", () => carried());
}

async function example(path) {
  const response = await fetch(`examples/${path}`);
  if (!response.ok) throw new Error(`The example ${path} cannot be loaded (${response.status}).`);
  return response.text();
}

async function carried() {
  try {
    const text = await fileOf(location.hash);
    if (text === null) return false;
    by("examples").value = "";
    editor.text = text;
    name = "vehicle.toml";
    await check();
    return true;
  } catch (error) {
    say(error.message, true);
    return false;
  }
}

async function begin() {
  listen();
  try {
    const names = await (await fetch("examples.json")).json();
    by("examples").append(new Option("(your own)", ""));
    for (const one of names) by("examples").append(new Option(one.replace(/\.toml$/, ""), one));
    const hasLink = location.hash !== "";
    const isCarried = await carried();
    if (!isCarried) {
      name = "minimal.toml";
      by("examples").value = name;
      editor.text = await example(name);
      // A link that is broken has said so.
      if (hasLink) checker.call("waywarden_check", editor.text, options());
      else await check();
    }
    const { parts } = await checker.call("waywarden_schema");
    editor.completion = new Completion(JSON.parse(parts[0]));
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    say(`${error.message}. A local server is needed: a browser loads no module from a file.`, true);
  }
}

begin();
