// All tournaments of the floor, and a new one.

import { ask } from "./api.js";
import { PHASES, refusalInWords, toCents } from "./floor-words.js";
import { inOrder } from "./late.js";
import { at, begin, make, may, redraw, watchSession } from "./shell.js";

const EVERY = 5000;

function tile(one) {
  const item = make("li", one.wrong ? "grave" : "");
  item.dataset.item = one.id;
  const title = make("h3");
  const link = make("a", "", one.title);
  link.href = may("seat") ? `/tournaments/${one.id}` : `/tournaments/${one.id}/seats`;
  title.append(link, make("small", "", PHASES[one.phase] || one.phase));
  const list = make("dl");
  for (const [term, words] of [["Entries", one.entries], ["In play", one.playing], ["Tables", one.tables], ["Rules", one.book]]) list.append(make("dt", "", term), make("dd", "", words));
  const screens = make("p", "tools");
  for (const [path, words] of [["seats", "Seat screen"], ["clock", "Clock screen"]]) screens.append(Object.assign(make("a", "button", words), { href: `/tournaments/${one.id}/${path}` }));
  item.append(title, list);
  if (one.wrong) item.append(make("p", "bad", one.wrong));
  if (one.payouts_due) item.append(make("p", "bad", "Set the payouts: nobody has a prize before"));
  item.append(screens);
  return item;
}

let drawn = "";
const asks = inOrder();

async function look(byItself) {
  const counts = asks();
  try {
    const told = await ask("GET", "/tournaments", undefined, byItself);
    if (!counts()) return;
    const text = JSON.stringify(told);
    at("live").textContent = "live";
    document.body.classList.remove("lost");
    if (text === drawn) return;
    drawn = text;
    redraw(at("tournaments"), told.tournaments.map(tile));
    at("no-tournaments").hidden = told.tournaments.length > 0;
    const book = at("open-book").value;
    at("open-book").replaceChildren(...Object.entries(told.books).map(([id, title]) => Object.assign(make("option", "", title), { value: id })));
    if (book) at("open-book").value = book;
  } catch (fault) {
    if (!counts()) return;
    document.body.classList.add("lost");
    at("live").textContent = "no connection";
    if (fault.status === 401) watchSession();
  }
}

// `table-1 1-9` or `table-1 1,3,5-7`: a table's name, a blank, and its seats.
function tableRead(line) {
  const [, table, runs] = /^(.*\S)\s+([0-9,-]+)$/.exec(line.trim()) || [null, line.trim(), ""];
  const seats = new Set();
  for (const run of runs.split(",").filter(Boolean)) {
    const [first, last] = run.split("-").map(Number);
    for (let seat = first; seat <= (last || first) && seat <= 99; seat += 1) seats.add(seat);
  }
  return { table, seats: [...seats].sort((a, b) => a - b) };
}

// Each table of the floor by its name there, with nine seats: whoever announces takes away what is not played at.
async function allTables() {
  const pit = await ask("GET", "/pit").catch((fault) => ((at("open-refusal").textContent = `Could not load: ${fault.message}.`), null));
  if (pit) at("open-tables").value = pit.tables.map((table) => `${table.name} 1-9`).join("\n");
}

async function open(event) {
  event.preventDefault();
  const fields = event.target.elements;
  const number = (name) => (fields[name].value.trim() ? Number(fields[name].value) : null);
  const said = {
    name: fields.name.value.trim(),
    fee: toCents(fields.fee.value),
    house: toCents(fields.house.value || "0"),
    stack: number("stack"),
    re_entries: number("again"),
    late_until: number("late"),
    tables: fields.tables.value.split("\n").filter((line) => line.trim()).map(tableRead),
  };
  at("open-refusal").textContent = "";
  try {
    await ask("POST", "/tournaments", { id: fields.id.value, book: fields.book.value, event: said, why: fields.why.value.trim() });
    location.assign(`/tournaments/${fields.id.value}#draw`);
  } catch (fault) {
    at("open-refusal").textContent = `Not done: ${refusalInWords(fault)}`;
  }
}

if (await begin()) {
  at("open").addEventListener("submit", open);
  at("open-all").addEventListener("click", allTables);
  await look(false);
  setInterval(() => look(true), EVERY);
}
