// All tournaments of the floor, and a new one.

import { ask } from "./api.js";
import { beginList, beginOpening } from "./floor-list.js";
import { PHASES, toCents } from "./floor-words.js";
import { at, begin, make, may } from "./shell.js";

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

function opened(fields) {
  const number = (name) => (fields[name].value.trim() ? Number(fields[name].value) : null);
  return {
    event: {
      name: fields.name.value.trim(),
      fee: toCents(fields.fee.value),
      house: toCents(fields.house.value || "0"),
      stack: number("stack"),
      re_entries: number("again"),
      late_until: number("late"),
      tables: fields.tables.value.split("\n").filter((line) => line.trim()).map(tableRead),
    },
  };
}

if (await begin()) {
  beginOpening("tournaments", opened, "#draw");
  at("open-all").addEventListener("click", allTables);
  await beginList({ address: "tournaments", name: "tournaments" }, tile);
}
