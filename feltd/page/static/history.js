// Rounds and rulings of the record, filtered. The address holds what is looked for, so that it can be sent on.

import { ask } from "./api.js";
import { fetchFile } from "./files.js";
import { beginFilter } from "./filter.js";
import { watchOver } from "./live.js";
import { at, begin, make, may, moment, put, putRows } from "./shell.js";
import { timeIn, timesAreGood } from "./time-field.js";
import { beginSentence, clauseInWords, wordsFor } from "./vocabulary.js";

const HEADS = {
  rulings: ["When", "Clause", "What", "Seat", "Outcome", "Decided", "Round", "Dealer"],
  rounds: ["Round", "Began", "Took", "Book", "Result", "Seats", "Rulings", "Dealer"],
};
const PAGE = 50;
const LOOK_EVERY = 5000; // milliseconds between two looks at how the bookmarks fare
let shown = null; // what was looked for, and is shown
let last = null;

function cell(words, className) {
  const made = make("td", className);
  if (words instanceof Node) made.append(words);
  else made.textContent = words === null || words === undefined ? "–" : words;
  return made;
}

function link(address, words) {
  const made = make("a", "", words);
  made.href = address;
  return made;
}

function decided(ruling) {
  if (ruling.decision) return `${wordsFor("decisions", ruling.decision)}, ${ruling.decided_by}${ruling.reason ? `: ${ruling.reason}` : ""}`;
  if (ruling.waits) return "waits for a person";
  return ruling.pending ? "cleared automatically" : "";
}

const rows = {
  rulings: (one) => [
    cell(moment(one.wall)), cell(clauseInWords(one.rule), "clause"), cell(wordsFor("irregularities", one.irregularity)), cell(one.seat),
    cell(beginSentence([one.outcome, ...one.also].map((name) => wordsFor("outcomes", name)).join(", then ")), "long"), cell(decided(one), "long"),
    cell(one.round ? link(`/history/round/${one.round}#ruling-${one.id}`, one.round) : null), cell(one.dealer),
  ],
  rounds: (one) => [
    cell(link(`/history/round/${one.number}`, one.number)), cell(moment(one.began)),
    cell(one.ended ? `${Math.round(one.ended - one.began)} s` : "in progress"), cell(one.book), cell(one.result && wordsFor("phases", one.result)),
    cell(one.seats.join(" ")), cell(one.rulings || ""), cell(one.dealer),
  ],
};

function query() {
  const form = new FormData(at("filter"));
  const asked = new URLSearchParams();
  for (const name of ["seat", "kind", "book", "dealer", "pending"]) if (form.get(name)) asked.set(name, form.get(name));
  for (const name of ["since", "until"]) if (timeIn(name) !== null) asked.set(name, timeIn(name));
  return { what: form.get("what"), asked };
}

async function find(more, counts) {
  if (!timesAreGood()) return;
  const wanted = more && shown !== null ? shown : query();
  const { what } = wanted;
  const asked = new URLSearchParams(wanted.asked);
  if (more && last !== null) asked.set("before", last);
  asked.set("limit", PAGE);
  at("told").textContent = "";
  try {
    const found = await ask("GET", `/${what}?${asked}`);
    if (!counts()) return;
    shown = wanted;
    const made = found.map((one) => {
      const row = make("tr", one.waits ? "waits" : "");
      row.append(...rows[what](one));
      return row;
    });
    const heads = make("tr");
    heads.append(...HEADS[what].map((words) => Object.assign(make("th", "", words), { scope: "col" })));
    at("heads").replaceChildren(heads);
    putRows(at("found"), made, more);
    last = found.length ? (found.at(-1).id ?? found.at(-1).number) : null;
    at("more").hidden = found.length < PAGE;
    if (!at("found").childNodes.length) at("told").textContent = "Nothing found.";
  } catch (fault) {
    if (counts()) at("told").textContent = `Could not load: ${fault.message}.`;
  }
}

const time = () => new URLSearchParams([...query().asked].filter(([name]) => name === "since" || name === "until"));
at("export").addEventListener("click", () => timesAreGood() && fetchFile(`/api/v1/export?${time()}`, at("told")));
at("bookmarks").addEventListener("click", () => timesAreGood() && fetchFile(`/api/v1/bookmarks?format=csv&${time()}`, at("told")));

// Whether another system takes the bookmarks: who relies on the cameras' marks must not learn of a refusal from a log.
async function tellSending() {
  try {
    const told = await ask("GET", "/bookmarks/sending");
    put("sending", told.words.join(" "));
    at("sending").classList.toggle("down", Boolean(told.fault || told.waiting || told.refused));
  } catch {} // the page says elsewhere that it has no connection
  setTimeout(tellSending, LOOK_EVERY);
}

const look = beginFilter(find);
if (await begin()) {
  look(false);
  if (may("export")) tellSending();
  watchOver();
}
