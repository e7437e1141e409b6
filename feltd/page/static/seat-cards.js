// Seat cards to be printed: of the entries that the address names, else of everybody who has a seat.

import { ask, whoAmI } from "./api.js";
import { at, make } from "./shell.js";

const id = document.body.dataset.tournament;

function card(one, desk) {
  const made = make("article", "card");
  const place = make("p", "place");
  place.append(make("span", "table", one.table), make("span", "seat", `Seat ${one.seat}`));
  made.append(make("p", "title", desk.title), make("h2", "", one.name), place, make("p", "small", `Entry ${one.entry} · card ${one.person}`), make("p", "small", "Show this card to the dealer."));
  if (desk.broadcast.includes(one.table)) made.append(make("p", "small", "Cards of rounds that are over go to a broadcast, folded hands too."));
  return made;
}

at("print").addEventListener("click", () => print());
if ((await whoAmI()) === null) location.replace(`/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`);
else {
  try {
    const desk = await ask("GET", `/tournaments/${id}`);
    const asked = new URLSearchParams(location.search).get("entries");
    const wanted = asked === null ? null : new Set(asked.split(",").map(Number));
    const seated = desk.entries.filter((one) => one.table !== null && (wanted === null || wanted.has(one.entry)));
    at("cards").replaceChildren(...seated.map((one) => card(one, desk)));
    at("no-cards").textContent = seated.length ? `${seated.length} seat cards` : "None of these has a seat.";
    at("print").focus();
  } catch (fault) {
    at("no-cards").textContent = `Could not load: ${fault.message}.`;
  }
}
