// The tournament: time and levels, and what the director does about them.

import { ask } from "./api.js";
import { lastOnly } from "./late.js";
import { follow } from "./live.js";
import { amount, at, begin, make, may, typed, unit, untyped } from "./shell.js";
import { ante, blinds, hms, notes, place, seconds, timeAt } from "./tournament-words.js";

let state = JSON.parse(at("state").textContent);
let tableTime = () => state.t;

const shown = () => state.table.tournament;

// ---- as it is

function level(one) {
  if (!one) return "–";
  return `${one.level ? `Level ${one.level}: ` : ""}${blinds(one, state.amounts)}, ${ante(one, shown(), state.amounts)}`;
}

function drawTime() {
  const now = shown();
  if (!now) return;
  const time = timeAt(now, tableTime());
  at("left").textContent = time.inBreak ? (time.breakLeft === null ? "Break" : hms(time.breakLeft)) : time.left === null ? "–" : hms(time.left);
  at("left-of").textContent = time.inBreak ? "left of the break" : "left of the level";
  at("stands").hidden = now.running;
  at("elapsed").textContent = hms(Math.floor(time.elapsed));
  at("notes").replaceChildren(...notes(now, time, state.amounts).map((words) => make("li", "", words)));
}

function rows(id, items) {
  at(id).replaceChildren(...items.flatMap(([name, words]) => [make("dt", "", name), make("dd", "", words)]));
}

function drawPlayers() {
  const now = shown();
  const here = (state.table.seats || []).filter((seat) => seat.state !== "leaving").length;
  rows("players", [
    ["At this table", `${here}`],
    ...now.penalties.map((one) => [`Seat ${one.seat}`, one.of === "rounds" ? `penalty: ${one.left} rounds left` : `penalty: ${one.left} hands left`]),
  ]);
  at("places").replaceChildren(...now.places.map((one) => make("li", "", `Place ${place(one)}: seat ${one.seat}, in round ${one.round}`)));
  at("no-places").hidden = now.places.length > 0;
}

function draw() {
  const now = shown();
  at("none").hidden = now !== null;
  at("playing").hidden = now === null;
  if (!now) return;
  at("structure").textContent = now.structure || "amounts of this table's own";
  const coming = now.next_deal && now.level && now.next_deal.level !== now.level.level;
  rows("levels", [
    ["This deal", level(now.level)],
    ...(coming ? [["The next deal", level(now.next_deal)]] : []),
    ["Next level", now.next ? level(now.next) : "this one stays"],
  ]);
  drawTime();
  drawPlayers();
  at("payouts-section").hidden = !now.takes.payouts;
  at("pool-unit").textContent = unit(prizes());
  at("stack-unit").textContent = unit(state.amounts);
  if (may("tournament")) drawControls(now);
}

// ---- payouts

// Prizes are money, whatever the chips count.
const asksPayouts = lastOnly();
const prizes = () => ({ ...state.amounts, unit: "cents" });

async function payouts(event) {
  event.preventDefault();
  const counts = asksPayouts();
  const form = event.target;
  const pool = form.elements.pool.value.trim();
  const asked = new URLSearchParams({ players: form.elements.entrants.value });
  if (pool) asked.set("pool", String(untyped(pool, prizes())));
  at("payouts-refusal").textContent = "";
  try {
    const told = await ask("GET", `/tournament/payouts?${asked}`);
    if (!counts()) return;
    at("payouts-rows").replaceChildren(
      ...told.places.map((one) => {
        const row = make("tr", "");
        row.append(make("td", "n", one.place), make("td", "n", `${one.percent} %`), make("td", "n", amount(one.cents, told.amounts)));
        return row;
      })
    );
    const odd = told.odd_cents === null ? "" : told.odd_cents ? ` Rounded down to cents; ${told.odd_cents} odd cents are left over, and the source does not say whose they are.` : " It comes out even.";
    at("payouts-words").textContent = `With ${told.players} players (the column for ${told.column[0]} to ${told.column[1]}) ${told.places.length} places are paid.${odd}`;
    at("payouts-told").hidden = false;
  } catch (fault) {
    if (!counts()) return;
    at("payouts-told").hidden = true;
    at("payouts-refusal").textContent = `Could not load: ${fault.message}.`;
  }
}

// ---- the director's

async function act(refusal, path, body) {
  at(refusal).textContent = "";
  try {
    await ask("POST", path, body);
    return true;
  } catch (fault) {
    at(refusal).textContent = `Not done: ${fault.message}.`;
    return false;
  }
}

const elapsed = () => Math.round(timeAt(shown(), tableTime()).elapsed * 1000) / 1000;
const setClock = (running, played) => act("clock-refusal", "/tournament/clock", { running, elapsed: Math.max(0, played) });

function drawControls(now) {
  at("start").disabled = now.running;
  at("stop").disabled = !now.running;
  at("level-back").disabled = now.level_before === null;
  at("level-on").disabled = now.level_after === null;
  at("hand-for-hand").setAttribute("aria-pressed", String(now.hand_for_hand));
  at("go").disabled = !now.waits_for_go;
  at("hand-for-hand-section").hidden = !now.takes.hand_for_hand;
  at("race-section").hidden = !now.takes.race;
  at("penalty-section").hidden = now.takes.penalties === "none";
  at("penalty-hands").disabled = now.takes.penalties === "button_rounds";
  if (at("penalty-hands").disabled) at("penalty-of").value = "orbits";
  if (!at("chip").value && now.race_offs.length) at("chip").value = typed(now.race_offs[0], state.amounts);
  at("chip-unit").textContent = `in ${unit(state.amounts)}`;
  drawSeatsOnce();
}

let seatsDrawn = "";

function drawSeatsOnce() {
  const seats = (state.table.seats || []).map((seat) => seat.seat);
  if (seats.join() === seatsDrawn) return; // what is being typed stays
  seatsDrawn = seats.join();
  for (const id of ["penalty-seat", "stack-seat"]) {
    at(id).replaceChildren(...seats.map((seat) => Object.assign(make("option", "", `Seat ${seat}`), { value: seat })));
  }
  at("odd").replaceChildren(
    ...seats.map((seat) => {
      const row = make("tr", "");
      const odd = Object.assign(make("input"), { type: "number", min: 0, max: 1000, value: 0, name: `odd-${seat}` });
      odd.setAttribute("aria-label", `Odd chips at seat ${seat}`);
      const last = Object.assign(make("input"), { type: "checkbox", name: `last-${seat}` });
      last.setAttribute("aria-label", `Seat ${seat} has nothing else`);
      const cells = [make("th", "", `Seat ${seat}`), make("td"), make("td")];
      cells[0].scope = "row";
      cells[1].append(odd);
      cells[2].append(last);
      row.append(...cells);
      return row;
    })
  );
}

function race(event) {
  event.preventDefault();
  const fields = event.target.elements;
  const seats = seatsDrawn.split(",").filter(Boolean);
  const odd = Object.fromEntries(seats.filter((seat) => Number(fields[`odd-${seat}`].value) > 0).map((seat) => [seat, Number(fields[`odd-${seat}`].value)]));
  const last = seats.filter((seat) => fields[`last-${seat}`].checked).map(Number);
  act("race-refusal", "/tournament/race", { chip: untyped(fields.chip.value, state.amounts), new_chip: untyped(fields["new-chip"].value, state.amounts), odd, last });
}

async function penalty(event) {
  event.preventDefault();
  const fields = event.target.elements;
  const body = { [fields["penalty-of"].value]: Number(fields["penalty-number"].value), reason: fields["penalty-reason"].value.trim() };
  if (await act("penalty-refusal", `/seats/${fields["penalty-seat"].value}/penalty`, body)) fields["penalty-reason"].value = "";
}

async function stack(event) {
  event.preventDefault();
  const fields = event.target.elements;
  const body = { cents: untyped(fields["stack-amount"].value, state.amounts) };
  if (await act("stack-refusal", `/seats/${fields["stack-seat"].value}/stack`, body)) fields["stack-amount"].value = "";
}

function beginControls() {
  at("start").addEventListener("click", () => setClock(true, elapsed()));
  at("stop").addEventListener("click", () => setClock(false, elapsed()));
  at("minute-back").addEventListener("click", () => setClock(shown().running, elapsed() - 60));
  at("minute-on").addEventListener("click", () => setClock(shown().running, elapsed() + 60));
  at("level-back").addEventListener("click", () => setClock(shown().running, shown().level_before));
  at("level-on").addEventListener("click", () => setClock(shown().running, shown().level_after));
  at("set-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const played = seconds(at("set").value);
    if (Number.isNaN(played)) at("clock-refusal").textContent = "Not done: write the play so far as h:mm:ss, or as minutes.";
    else setClock(shown().running, played);
  });
  at("hand-for-hand").addEventListener("click", () => act("hand-refusal", "/tournament/hand-for-hand", { on: !shown().hand_for_hand }));
  at("go").addEventListener("click", () => act("hand-refusal", "/tournament/go"));
  at("race-form").addEventListener("submit", race);
  at("penalty-form").addEventListener("submit", penalty);
  at("stack-form").addEventListener("submit", stack);
}

draw();
at("payouts-form").addEventListener("submit", payouts);
setInterval(drawTime, 250);
if (await begin()) {
  beginControls();
  draw();
  tableTime = follow(
    state,
    (now) => {
      state = now;
      draw();
    },
    () => null
  );
}
