// The counter: a person is found by name, card or entry number, and their entry, seat and seat card follow, by the keyboard.

import { ask } from "./api.js";
import { entrySteps } from "./desk-entry.js";
import { followSeats, placeRead, seatField } from "./desk-seats.js";
import { anotherField, cardRead, failed, openStep, secretFields, showRefusal, take } from "./desk-steps.js";
import { lastOnly } from "./late.js";
import { clauseOf, money, placeOf, plainMoney, refusalInWords, STANDINGS, toCents } from "./floor-words.js";
import { at, button, make, may, notice, redraw } from "./shell.js";

const MOST = 8;

let desk = null;
let chosen = null; // an entry's number
let pointed = null; // the same: of those that are found
let early = null; // Enter was pressed before the first look had come: with Ctrl or without
const goesOn = lastOnly(); // the person at the counter types, chooses or begins something
const begins = lastOnly(); // the form of a new entry, with one entry after another

const entryOf = (number) => desk.entries.find((one) => one.entry === number) || null;
// A card is found with blanks or hyphens in its number, and without its leading zeros.
const cardKey = (text) => text.toLowerCase().replaceAll("-", "").replace(/^0+(?=.)/, "");
const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

// ---- finding

function matches() {
  const words = plain(at("find").value.trim()).split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const card = words.join("");
  const found = desk.entries.filter((one) => words.every((word) => plain(one.name).includes(word) || one.person.toLowerCase().includes(word) || `${one.entry}` === word) || cardKey(one.person) === cardKey(card));
  const exact = (one) => Number(one.person.toLowerCase() === card || `${one.entry}` === words[0]);
  return found.sort((one, other) => exact(other) - exact(one) || other.entry - one.entry);
}

const seatInWords = (one) => (one.table === null ? STANDINGS[one.standing] : `${one.table}, seat ${one.seat}`);

function drawFound() {
  if (desk === null) return;
  const found = matches();
  const current = found[placeIn(found)];
  redraw(
    at("found"),
    found.slice(0, MOST).map((one) => {
      const item = make("li", "", "");
      item.id = `found-${one.entry}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", String(one === current));
      item.append(make("b", "", one.name), make("span", "quiet", `card ${one.person}, entry ${one.entry}`), make("span", one.standing === "in_play" ? "playing" : "quiet", seatInWords(one)));
      item.addEventListener("click", () => chooseHere(one.entry));
      return item;
    })
  );
  if (current) at("find").setAttribute("aria-activedescendant", `found-${current.entry}`);
  else at("find").removeAttribute("aria-activedescendant");
  const typed = at("find").value.trim();
  at("found-more").textContent = !typed ? "" : found.length > MOST ? `${found.length - MOST} more: type more of the name` : found.length ? "" : "Nobody is known by that: Enter begins a new entry.";
}

// Where the entry stands that is pointed at: the first one until the arrows move. Another desk's entry, which comes on top,
// must not slip under a key that is about to choose.
function placeIn(found) {
  const place = found.slice(0, MOST).findIndex((one) => one.entry === pointed);
  pointed = found[Math.max(0, place)]?.entry ?? null;
  return Math.max(0, place);
}

function point(found, by) {
  const place = Math.max(0, Math.min(placeIn(found) + by, Math.min(found.length, MOST) - 1));
  pointed = found[place]?.entry ?? null;
  drawFound();
}

function onKey(event) {
  if (desk === null) return beforeTheFirstLook(event);
  const found = matches();
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    point(found, event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Enter") {
    event.preventDefault();
    enterPressed(event.ctrlKey);
  } else if (event.key === "Escape") {
    at("find").value = "";
    chooseHere(null);
  }
}

function enterPressed(withCtrl) {
  const found = matches();
  if (withCtrl || !found.length) newEntry(null);
  else chooseHere(found[placeIn(found)].entry);
}

function beforeTheFirstLook(event) {
  if (event.key !== "Enter") return;
  event.preventDefault();
  early = event.ctrlKey;
}

// ---- one entry

function chooseHere(number) {
  goesOn();
  choose(number);
}

function choose(number) {
  chosen = number;
  begins();
  at("enter").hidden = true;
  drawChosen();
  drawFound();
  at("at-counter").querySelector("a.button, button")?.focus();
}

function row(list, term, words) {
  list.append(make("dt", "", term), make("dd", "", words));
}

function drawChosen() {
  const one = chosen === null ? null : entryOf(chosen);
  const box = at("at-counter");
  if (one === null) return redraw(box, []);
  const list = make("dl", "facts");
  row(list, "Card", one.person);
  row(list, "Entry", one.again > 1 ? `${one.entry}, entered ${one.again} times` : `${one.entry}`);
  row(list, "Paid", money(one.paid));
  row(list, "Seat", seatInWords(one));
  const bought = boughtInWords(one);
  if (bought) row(list, "Bought", bought);
  if (one.first !== null) row(list, "Place", `${placeOf(one)}${one.provisional ? ", may still change" : ""}`);
  if (one.prize) row(list, "Prize", one.prize_paid === null ? money(one.prize) : `${money(one.prize)}, paid`);
  if (one.refund) row(list, "Goes back", money(one.refund));
  if (one.refund_paid) row(list, "Given back", money(one.refund_paid));
  const carries = carriesInWords(one.carries);
  if (carries) row(list, "Carries", carries);
  const tools = make("p", "tools");
  tools.append(...toolsOf(one));
  redraw(box, [make("h3", "", one.name), list, tools]);
}

const boughtInWords = (one) => [one.rebuys ? `${one.rebuys} rebuys` : "", one.add_ons ? `${one.add_ons} add-ons` : ""].filter(Boolean).join(", ");

function carriesInWords(one) {
  if (!one) return "";
  const said = [];
  if (one.warnings) said.push(`${one.warnings} warnings`);
  if (one.hands) said.push(`${one.hands} hands out`);
  if (one.rounds) said.push(`${one.rounds} rounds out`);
  if (one.time_banks) said.push(`${one.time_banks} time banks`);
  if (one.absent) said.push("away from the seat");
  return said.join(", ");
}

const LEAVES = { disqualified: "disqualified", hid_chips: "hid chips", absent: "absent", played_too_long: "played on too long", harm: "harmed somebody", barred: "barred in play", barred_before: "barred before play", broke_rules: "broke the rules" };
const CHIPS_FOR = { rebuy: "a rebuy", add_on: "an add-on", restored: "given back to who came late" };
const PENALTIES = { warning: "a warning", hands: "hands out of play", rounds: "rounds out of play" };
const SAID = [["", "as the book says"], ["1", "yes"], ["0", "no"]];
const saidRead = (text) => (text ? text === "1" : null);

// What an entry that has given up its chips had: the pool of chips is not known before it is said.
function givenUp(one) {
  const fields = [{ name: "chips", words: "Chips, as counted", kind: "number" }];
  return button("Chips given up…", () => openStep({ title: "Chips given up", about: one.name, ev: "chips.taken", fixed: { entry: one.entry, why: "forfeited" }, fields, why: "counted at the table" }));
}

// Where the book keeps each fee, one that nobody was to pay goes back alone.
function withdrawnField() {
  const clause = clauseOf(desk.rules.fee_kept);
  if (!desk.rules.fee_kept) return { name: "refund", words: "The fee goes back", kind: "check" };
  return { name: "mistaken", words: `Keyed by mistake: the fee goes back. Else it stays${clause}`, kind: "check" };
}

function toolsOf(one) {
  const about = `${one.name}, entry ${one.entry}`;
  const fixed = { entry: one.entry };
  const tools = [];
  const step = (words, asked, className) => tools.push(button(words, () => openStep({ title: words.replace("…", ""), about, fixed, ...asked }), className));
  if (one.standing === "out" && !desk.late.closed) tools.push(button("Enter again", () => newEntry(one), "main"));
  if (desk.chips.uncounted.includes(one.entry) && may("tournament")) tools.push(givenUp(one));
  if (one.standing === "waiting" && desk.draw.seed !== null) {
    step("Draw a seat", { ev: "seat.late", fields: secretFields(), why: "late entry", done: (outputs, here) => here && at("at-counter").querySelector("a.button")?.focus() }, "main");
  }
  if (one.standing === "waiting") {
    step("Give a seat…", { ev: "seat.given", fields: [seatField("Seat")], make: (values) => placeRead(values.place) });
    step("Hand on…", { ev: "entry.handed_on", fields: [{ name: "person", words: "Card number of the other person", read: cardRead }, { name: "name", words: "Name of the other person" }, anotherField()] });
    step("Withdraw…", { ev: "entry.withdrawn", fields: [withdrawnField()] });
  }
  if (one.standing === "in_play") {
    const card = make("a", "button", "Print the seat card");
    Object.assign(card, { href: `/tournaments/${desk.id}/cards?entries=${one.entry}`, target: "_blank", rel: "noopener" });
    tools.push(card);
    step("Move…", { ev: "moved", fields: [seatField("To")], make: (values) => placeRead(values.place) });
    step("Out…", { ev: "entry.out", why: "no chips left" });
    if (desk.rules.gives_up && !desk.late.closed) step("Give up the chips…", { ev: "entry.given_up", why: "to enter again" });
    step("Penalty…", { ev: "penalty", fields: [{ name: "penalty", words: "Penalty", kind: "select", options: Object.entries(PENALTIES) }, { name: "number", words: "How many", kind: "number", value: "1" }] });
    if (may("tournament")) step("More chips…", { ev: "chips.issued", fields: [{ name: "why", words: "What for", kind: "select", options: Object.entries(CHIPS_FOR) }, { name: "chips", words: "Chips", kind: "number" }] });
    if (may("tournament") && desk.ways.length) {
      step("Must leave…", {
        ev: "person.left",
        fields: [
          { name: "why", words: "What for", kind: "select", options: desk.ways.map((way) => [way, LEAVES[way] || way]) },
          { name: "chips", words: "Chips, as counted", kind: "number" },
          { name: "refund", words: "Fee back", kind: "select", options: SAID, read: saidRead },
          { name: "prize", words: "Prize", kind: "select", options: SAID, read: saidRead },
        ],
      });
    }
  }
  entrySteps(desk, one, step);
  return tools;
}

// ---- a new entry

function newEntry(before) {
  const form = at("enter");
  goesOn();
  begins();
  at("enter-do").disabled = false;
  const typed = at("find").value.trim();
  const isCard = /\d/.test(typed);
  form.hidden = false;
  for (const place of form.querySelectorAll("[data-field]")) place.textContent = "";
  form.elements.person.value = before ? before.person : isCard ? typed : "";
  form.elements.name.value = before ? before.name : isCard ? "" : typed;
  form.elements.paid.value = plainMoney(desk.terms.fee + desk.terms.house);
  form.elements.entry.value = `${Math.max(0, ...desk.entries.map((one) => one.entry)) + 1}`;
  form.elements.why.value = before ? "entered again at the counter" : "entered at the counter";
  form.elements.another.checked = false;
  at("enter-another").hidden = true;
  (before ? form.querySelector("button") : isCard ? form.elements.name : form.elements.person).focus();
}

async function enter(event) {
  event.preventDefault();
  const form = event.target;
  const number = Number(form.elements.entry.value);
  const [waits, sameForm] = [goesOn(), begins()];
  const one = { ev: "entry", entry: number, person: cardRead(form.elements.person.value), name: form.elements.name.value.trim(), paid: toCents(form.elements.paid.value), another: form.elements.another.checked };
  at("enter-do").disabled = true;
  try {
    await take(one, form.elements.why.value.trim());
  } catch (fault) {
    if (sameForm()) at("enter-do").disabled = false;
    if (sameForm() && fault.reason === "perhaps_the_same") at("enter-another").hidden = false;
    return waits() ? showRefusal(form, fault) : failed(`${one.name}, entry ${one.entry}`, fault);
  }
  if (sameForm()) form.hidden = true;
  if (!waits()) return;
  at("find").value = "";
  choose(number);
}

// ---- a sheet

const SHEET_MOST = 2_000_000; // bytes; the page refuses a larger one

// A sheet's text, and a fault for each line that is not UTF-8: read without a look, a name in another encoding would be
// taken with a mark in the place of its letters.
function sheetIn(bytes) {
  const text = new TextDecoder().decode(bytes);
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const lines = text.split("\n").flatMap((line, place) => (line.includes("\ufffd") ? [place + 1] : []));
    return [text, lines.map((line) => `sheet:${line}: this is not UTF-8: save the file as CSV UTF-8`)];
  }
  return [text, []];
}

async function takeSheet(event) {
  event.preventDefault();
  const [file] = at("sheet-file").files;
  at("sheet-faults").replaceChildren();
  if (file.size > SHEET_MOST) return showFaults(["This file is no sheet of entries: it is too large. A sheet has 5,000 entries at most."]);
  const [sheet, faults] = sheetIn(await file.arrayBuffer());
  if (faults.length) return showFaults(faults);
  at("sheet-take").disabled = true;
  notice("The sheet is looked through, then its entries are taken: of thousands this takes a while.");
  try {
    const told = await ask("POST", `/tournaments/${desk.id}/entries`, { expected: desk.seq, sheet, why: at("sheet-why").value.trim() });
    notice(`${told.entries.length} entries were taken.`);
    if (at("sheet-file").files[0] === file) at("sheet").reset();
  } catch (fault) {
    showFaults(refusalInWords(fault).split("\n"));
  }
  at("sheet-take").disabled = false;
}

function showFaults(lines) {
  at("sheet-faults").replaceChildren(make("li", "", "Nothing was taken:"), ...lines.map((line) => make("li", "", line)));
}

export function beginCounter() {
  at("find").addEventListener("input", () => {
    goesOn();
    pointed = early = null;
    drawFound();
  });
  at("find").addEventListener("keydown", onKey);
  at("enter").addEventListener("submit", enter);
  at("enter-leave").addEventListener("click", () => {
    goesOn();
    begins();
    at("enter").hidden = true;
    at("find").focus();
  });
  at("sheet").addEventListener("submit", takeSheet);
}

export function drawCounter(now) {
  desk = now;
  followSeats(desk);
  drawFound();
  drawChosen();
  if (early === null) return;
  const withCtrl = early;
  early = null;
  enterPressed(withCtrl);
}
