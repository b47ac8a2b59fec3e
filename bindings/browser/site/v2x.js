// The page on which pasted V2X messages are verified or shown field by field.

import { element } from "./editor.js";
import { Laboratory } from "./laboratory.js";

const by = (id) => document.getElementById(id);
const laboratory = new Laboratory();

function say(text, isBad = false) {
  by("status").textContent = text;
  by("status").classList.toggle("bad", isBad);
}

// A card with a heading in two parts and facts; empty ones are left out.
function card(kind, [verdict, rest], facts, ...more) {
  const made = element("article", `card ${kind}`);
  const heading = element("h3", "");
  heading.append(element("b", "", verdict), rest ? ` ${rest}` : "");
  const list = element("dl", "");
  for (const [name, value] of facts) {
    if (value !== undefined && value !== null && value !== "")
      list.append(element("dt", "", name), element("dd", "", String(value)));
  }
  made.append(heading, list, ...more);
  return made;
}

function verdict(one) {
  const payload = one.payload_check;
  const text =
    payload &&
    [
      payload.result,
      ...payload.failures.map((failure) => failure.failure_cause),
      ...payload.not_checked.map((gap) => `${gap.property}: ${gap.why_text}`),
    ].join("; ");
  return card(
    one.accepted ? "good" : "bad",
    [one.accepted ? "Accepted" : "Refused", one.label ?? one.input],
    [
      ["Kind", one.kind],
      ["Verdict", one.verdict],
      ["Reason", one.reason],
      ["Field", one.field],
      [
        "Signature",
        one.signature_valid === null || one.signature_valid === undefined
          ? "not verified"
          : one.signature_valid
            ? "valid"
            : "not valid",
      ],
      ["Signer", one.signer],
      ["Application", one.psid === undefined ? "" : `PSID ${one.psid}`],
      ["Generated", one.generation_time],
      ["Payload", text],
    ],
  );
}

// What a record carries: kind, release and standard of a message, and what is to be known of the reading.
function carried(layer) {
  const release = layer.release === undefined ? "" : `, release ${layer.release}`;
  const facts = [["Message", `${layer.kind}${release}, ${layer.standard}`]];
  return [...facts, ["Remark", layer.remark], ["Not read", layer.error]];
}

// The value of a message as JSON, folded.
function valueOf(layer) {
  const made = element("details", "");
  const value = element("pre", "sheet-of", JSON.stringify(layer.value, null, 2));
  value.tabIndex = 0;
  value.setAttribute("aria-label", `${layer.kind} as JSON`);
  made.append(element("summary", "", `${layer.kind} as JSON`), value);
  return made;
}

function inspection(one) {
  const messages = (one.payload ?? []).filter((layer) => layer.standard !== undefined);
  const tree = element("pre", "sheet-of", one.tree_text);
  tree.tabIndex = 0;
  tree.setAttribute("aria-label", "Fields, with the place of each in bytes");
  return card(
    one.error ? "bad" : "",
    [one.kind, one.label ?? one.input],
    [
      ["Length", one.length ? `${one.length} bytes` : ""],
      ["HashedId8", one.hashed_id8],
      ["Layers", one.layers_text?.join(", ")],
      ...messages.flatMap(carried),
      ["Fault", one.error],
    ],
    tree,
    ...messages.filter((layer) => layer.value !== undefined).map(valueOf),
  );
}

// This moment as the module reads it: to the second, in UTC.
function now() {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}

async function ask(name, texts, take) {
  say("Working …");
  try {
    const answer = await laboratory.call(name, ...texts);
    if (answer.faults) {
      by("answers").replaceChildren(
        ...answer.faults.map((fault) => card("bad", ["Not read", ""], [["Fault", fault.text]])),
      );
      return say("This cannot be read.", true);
    }
    take(JSON.parse(answer.parts[0]), Math.max(1, Math.round(answer.ms)));
  } catch (error) {
    say(error.message, true);
  }
}

function verify() {
  const at = by("at").value.trim() || "generation";
  const options = JSON.stringify({ at: at === "now" ? now() : at, now: now() });
  return ask(
    "waywarden_verify",
    [by("pasted").value, by("trusted").value, options],
    ({ verdicts, anchors, warnings }, ms) => {
      const notes = warnings.map((warning) => card("bad", ["Note", ""], [["", warning]]));
      by("answers").replaceChildren(...verdicts.map(verdict), ...notes);
      const accepted = verdicts.filter((one) => one.accepted).length;
      const trust = `${anchors} trust anchor${anchors === 1 ? "" : "s"}`;
      say(
        `${accepted} of ${verdicts.length} accepted with ${trust}, in ${ms} ms.`,
        accepted < verdicts.length,
      );
    },
  );
}

function inspect() {
  return ask("waywarden_inspect", [by("pasted").value], (rows, ms) => {
    by("answers").replaceChildren(...rows.map(inspection));
    say(`${rows.length} shown, in ${ms} ms.`);
  });
}

async function example(name) {
  try {
    const [pasted, trusted] = await Promise.all(
      [`v2x/${name}.hex`, "v2x/trust.hex"].map(async (path) => {
        const response = await fetch(path);
        if (!response.ok) throw new Error(`${path} cannot be loaded (${response.status}).`);
        return response.text();
      }),
    );
    by("pasted").value = pasted;
    by("trusted").value = trusted;
    by("at").value = "generation";
    await verify();
  } catch (error) {
    say(error.message, true);
  }
}

by("verify").addEventListener("click", verify);
by("inspect").addEventListener("click", inspect);
by("valid").addEventListener("click", () => example("messages"));
by("altered").addEventListener("click", () => example("altered"));
say("Ready.");
document.documentElement.dataset.ready = "yes";
