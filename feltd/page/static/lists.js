// Rulings, alarms and health as lists. A ruling opens to what happened, its clause, and what may be decided.

import { ask } from "./api.js";
import { buttonsFor } from "./decisions.js";
import { at, decimal, make, may, redraw, renew, timeWithOffset } from "./shell.js";
import { beginSentence, clauseInWords, deviceInWords, inSentence, ruleInWords, wordsAreKnown, wordsFor } from "./vocabulary.js";

const opened = new Set();

function steps(ruling) {
  const list = make("ol", "steps");
  const first = ruling.waits && may("decide") && ruling.outcome === "call_floor" ? "You decide: each button below says what it does" : ruling.outcome_words;
  for (const words of [first, ...ruling.also_words]) list.append(make("li", "", beginSentence(words)));
  return list;
}

async function tellStory(ruling, box) {
  box.replaceChildren(make("p", "quiet", "…"));
  try {
    const [found] = await ask("GET", `/rulings?before=${ruling.id + 1}&limit=1`);
    if (!found || found.id !== ruling.id || found.round === null || found.round === 0) {
      box.replaceChildren(make("p", "quiet", "This ruling was given between two rounds."));
      return;
    }
    const told = await ask("GET", `/rounds/${found.round}/steps?most=500`);
    const before = told.filter((step) => step.seq < found.entry).slice(-6);
    const list = make("ol", "story");
    for (const step of before) list.append(make("li", "", `${timeWithOffset(step.wall)} ${step.words}`));
    const link = make("a", "", `Round ${found.round} step by step`);
    link.href = `/history/round/${found.round}#ruling-${ruling.id}`;
    box.replaceChildren(before.length ? list : make("p", "quiet", "Nothing before it in this round."), link);
  } catch (fault) {
    box.replaceChildren(make("p", "quiet", `Could not load: ${fault.message}.`));
  }
}

// How it ended for a ruling that a person had to decide, or did.
function settledInWords(ruling) {
  const how = ruling.settled;
  if (!how) return ruling.pending && !ruling.waits ? "decided" : null;
  if (!how.by) return "cleared automatically";
  const instead = how.outcome ? `: ${wordsFor("outcomes", how.outcome)}` : "";
  return `${inSentence(wordsFor("decisions", how.decision))}${instead}, by ${how.by}${how.reason ? ` (${how.reason})` : ""}`;
}

function headOf(ruling) {
  const head = make("summary", "ruling-head");
  head.append(make("span", "clause", clauseInWords(ruling.rule)));
  head.append(make("span", "what", ruling.irregularity_words + (ruling.seat ? `, seat ${ruling.seat}` : "")));
  if (ruling.waits) head.append(make("span", "decide", `${ruling.authority} decides`));
  head.append(make("span", "when", `${timeWithOffset(ruling.wall)} · ${ruling.id}`));
  const outcome = make("span", "outcome");
  outcome.append(make("b", "", [ruling.outcome_words, ...ruling.also_words].join(", then ")));
  if (ruling.supersedes) outcome.append(` · in place of ${ruling.supersedes}`);
  const settled = settledInWords(ruling);
  if (settled) outcome.append(` · ${settled}`);
  head.append(make("span", "text", ruling.text), outcome);
  return head;
}

function rulingItem(ruling, replaced) {
  const item = make("li", ruling.waits ? "waits" : replaced.has(ruling.id) ? "replaced" : "");
  item.id = `ruling-${ruling.id}`;
  item.classList.toggle("sought", location.hash === `#${item.id}`);
  item.dataset.item = ruling.id;
  const details = make("details", "");
  details.open = opened.has(ruling.id);
  const story = make("div", "story-box");
  const clause = make("p", "outcome", `${ruling.rulebook}, ${ruleInWords(ruling.rule)}. Decided by: ${ruling.authority}. `);
  const book = make("a", "", "View rule");
  book.href = `/rules/${encodeURIComponent(ruling.rulebook)}#${ruling.row}`;
  clause.append(book);
  details.append(headOf(ruling), make("p", "quiet", "What happened"), story, make("p", "quiet", "What must be done, in this order"), steps(ruling), clause);
  details.addEventListener("toggle", () => {
    if (details.open) opened.add(ruling.id);
    else opened.delete(ruling.id);
    if (details.open && !story.childNodes.length) tellStory(ruling, story);
  });
  if (details.open) tellStory(ruling, story);
  item.append(details);
  const buttons = buttonsFor(ruling);
  if (buttons) item.append(buttons);
  return item;
}

let shown = "";

// The address names a ruling: it is opened and brought into sight.
export function seek(state) {
  const id = Number((location.hash.match(/^#ruling-(\d+)$/) || [])[1]);
  if (!id) return;
  opened.add(id);
  shown = "";
  drawRulings(state);
  at(`ruling-${id}`)?.scrollIntoView({ block: "nearest" });
}

export function drawRulings(state) {
  const now = JSON.stringify([wordsAreKnown(), may("ask"), state.rulings]); // words and buttons come behind the first state
  if (now === shown) return; // an open ruling stays as it is while nothing has changed
  shown = now;
  const replaced = new Set(state.rulings.map((ruling) => ruling.supersedes).filter(Boolean));
  redraw(at("rulings"), state.rulings.map((ruling) => rulingItem(ruling, replaced)));
  at("no-rulings").hidden = state.rulings.length > 0;
}

export function drawHealth(state) {
  const journal = state.journal;
  const rows = [
    ["Record", journal.state === "running" ? "kept" : journal.error || journal.state, journal.state !== "running"],
    ["Entries", `${journal.appended}, ${journal.backlog} not yet on the disk`, !journal.accepting],
    ["Last commit", `${decimal(journal.last_commit_ms)} ms, longest ${decimal(journal.longest_commit_ms)} ms`, false],
    ["Loop lag", `${decimal(state.loop.lag_ms)} ms, worst ${decimal(state.loop.worst_ms)} ms in a minute`, state.loop.worst_ms > 250],
    ["Rulebook", state.rulebook ? `${state.rulebook.id}, ${state.rulebook.digest.slice(0, 12)}…` : "none", false],
  ];
  const down = state.devices.filter((device) => !device.up).map((device) => deviceInWords(device.name));
  rows.push(["Devices", down.length ? `offline: ${down.join(", ")}` : `${state.devices.length}, all online`, down.length > 0]);
  const others = state.devices.filter((device) => device.replaced).map((device) => deviceInWords(device.name));
  if (others.length) rows.push(["Replaced", `another device than the last time: ${others.join(", ")}`, true]);
  const bare = state.devices.filter((device) => device.trust === "none").map((device) => deviceInWords(device.name));
  if (bare.length) rows.push(["Not authenticated", `anybody on its wire may speak for: ${bare.join(", ")}`, true]);
  if (journal.waiting) rows.push(["Waiting", `${journal.waiting} messages of devices`, true]);
  renew(at("health"), rows.flatMap(([name, words, bad]) => [make("dt", "", name), make("dd", bad ? "bad" : "", words)]));
}
