// What every page has: who is signed in, what they may do, signing out, words for what went wrong.

import { ask, onSignInNeeded, whoAmI } from "./api.js";
import { learnWords } from "./vocabulary.js";

export const at = (id) => document.getElementById(id);

export function make(name, className, text) {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined && text !== null) element.textContent = text;
  return element;
}

// Words in their place; those that are there already cost nothing.
export function put(id, words) {
  if (at(id).textContent !== words) at(id).textContent = words;
}

// What is drawn, piece by piece: a piece that looks as it did stays, so the browser styles and lays out what is new alone.
// Only for pieces that nobody presses.
export function renew(box, pieces) {
  const there = [...box.children];
  pieces.forEach((piece, index) => {
    if (!there[index]) box.append(piece);
    else if (!there[index].isEqualNode(piece)) there[index].replaceWith(piece);
  });
  for (const gone of there.slice(pieces.length)) gone.remove();
}

// Rows in a table's body, `more`: behind those that it has. On a narrow screen they stand one below the other, each cell beside
// its head (page.css).
export function putRows(body, rows, more = false) {
  if (more) body.append(...rows);
  else body.replaceChildren(...rows);
  const heads = [...(body.parentElement.tHead.rows[0]?.cells ?? [])].map((head) => (head.querySelector(".unseen") ? "" : head.textContent));
  for (const row of rows) [...row.cells].forEach((cell, place) => (cell.dataset.head = heads[place]));
}

export function button(words, action, className) {
  const made = make("button", className || "", words);
  made.type = "button";
  made.addEventListener("click", action);
  return made;
}

// ---- drawing anew under somebody's hand

let pressed = null;
const due = new Map();

// Whether somebody holds down something in there: what is replaced or moved between press and release is not clicked.
export const pressing = (box = document.body) => pressed !== null && box.contains(pressed);

for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, (event) => (pressed = event.target), true);
function released() {
  setTimeout(() => {
    pressed = null;
    for (const [box, items] of due) redraw(box, items);
    due.clear();
  });
}

for (const kind of ["pointerup", "pointercancel", "keyup"]) addEventListener(kind, released, true);
addEventListener("blur", released);

// New content in the place of the old. The keyboard stays where it was: on the control of the same name in the same item.
export function redraw(box, items) {
  if (pressing(box)) {
    due.set(box, items);
    return;
  }
  due.delete(box); // what waited for a release is older
  const held = box.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  box.replaceChildren(...items);
  if (held === null) return;
  for (const one of box.querySelectorAll("button, summary, a")) if (nameOf(one) === held) return one.focus();
}

function nameOf(control) {
  const item = control.closest("[data-item]");
  return `${item ? item.dataset.item : ""} ${control.tagName} ${control.tagName === "SUMMARY" ? "" : control.textContent}`;
}

// ---- times, all in the table's zone

const DAY = { year: "numeric", month: "2-digit", day: "2-digit" };
const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };
const formats = new Map();

const own = () => document.documentElement.dataset.zone || "UTC";

function format(options, zone = own()) {
  const key = Object.entries(options).join() + zone;
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone }));
  return formats.get(key);
}

const parts = (wall, options, zone) => Object.fromEntries(format(options, zone).formatToParts(new Date(wall * 1000)).map((part) => [part.type, part.value]));

const SHOWN = document.documentElement.dataset.hours === "12" ? { ...CLOCK, hourCycle: "h12" } : CLOCK;
const clockInWords = (told) => [`${told.hour}:${told.minute}:${told.second}`, told.dayPeriod?.toLowerCase()].filter(Boolean).join(" "); // German has AM

const DATED = { ...DAY, ...SHOWN, timeZoneName: "longOffset" };
const offset = (told) => told.timeZoneName.replace("GMT", "") || "+00:00";

// `2026-11-23 14:03:22 +11:00`, or `02:03:22 pm` where the table's file wants it so
export function moment(wall, zone) {
  const told = parts(wall, DATED, zone);
  return `${told.year}-${told.month}-${told.day} ${clockInWords(told)} ${offset(told)}`;
}

// The same where a table has another zone than this page: as its own clock shows it, with the zone's name.
export function momentAt(wall, zone) {
  if (!zone) return moment(wall);
  try {
    const there = moment(wall, zone);
    return there === moment(wall) ? there : `${there} (${zone})`;
  } catch {
    return moment(wall); // a browser that does not know the zone
  }
}

// `14:03:22 +11:00`, where a list has times of one day: summer time changes the offset
export function timeWithOffset(wall) {
  const told = parts(wall, DATED);
  return `${clockInWords(told)} ${offset(told)}`;
}

// Seconds since 1970 of a field's date and time, which people write as the table's clock shows it.
export function fromTableTime(text) {
  const asUtc = Date.parse(`${text}Z`) / 1000;
  const ahead = (wall) => {
    const told = parts(wall, { ...DAY, ...CLOCK });
    return Date.UTC(told.year, told.month - 1, told.day, told.hour, told.minute, told.second) / 1000 - Math.floor(wall);
  };
  return asUtc - ahead(asUtc - ahead(asUtc));
}

// An amount as people write it. `counted`: the API's `amounts`; null where no game is open.
export function amount(number, counted) {
  if (number === null || number === undefined) return "–";
  if (!inMoney(counted)) return number.toLocaleString("en");
  return `${counted.sign}${(number / 100).toLocaleString("en", { minimumFractionDigits: number % 100 ? 2 : 0 })}`;
}

const inMoney = (counted) => counted !== null && counted.unit === "cents";

// What people type, points or money, and what the API takes.
export const typed = (number, counted) => (inMoney(counted) ? number / 100 : number);
export const untyped = (text, counted) => Math.round(Number(text) * (inMoney(counted) ? 100 : 1));
export const unit = (counted) => (inMoney(counted) ? counted.currency : "points");

// A number with so many places after its point, or its comma.
export const decimal = (number, places = 1) => number.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places, useGrouping: false });

// `how long` since so many seconds.
export function since(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 86400)} d ${Math.floor((whole % 86400) / 3600)} h`;
}

// Words that a person must see, and may put away.
export function notice(words) {
  const item = make("p", "notice", words);
  item.append(button("Close", () => item.remove()));
  at("notices").append(item);
}

let me = null;

// An observer's screen only looks: its account may ask for a badge, by the API.
const shown = (right) => [...me.rights, ...me.rights_paused].includes(right) && (right !== "ask" || me.role !== "observer");
export const may = (right) => me !== null && shown(right) && (right === "see" || me.csrf !== null);
export const isMe = (name) => me !== null && me.name === name;

// The session is over: sign in again, and come back here.
const toTheDoor = () => location.replace(`/sign-in?over=1&to=${encodeURIComponent(location.pathname + location.search)}`);

// Begin a page: shows what this person may do, and leads to the door whose session is over.
export async function begin() {
  const out = at("sign-out");
  if (out) {
    out.addEventListener("click", async () => {
      await ask("DELETE", "/session").catch(() => null);
      location.replace("/sign-in");
    });
  }
  me = await whoAmI().catch((fault) => (notice(fault.message), null));
  if (me === null) {
    toTheDoor();
    return false;
  }
  await learnWords().catch((fault) => notice(fault.message)); // without it names stand for themselves, and no decision is offered
  for (const element of document.querySelectorAll("[data-right]")) element.hidden = !may(element.dataset.right);
  if (me.csrf !== null) setInterval(watchSession, 30000);
  onSignInNeeded(async () => (await import("./sign-in-over.js")).signInOver(me));
  if (me.read_only) await sayReadOnly();
  addEventListener("keydown", onKey);
  at("keys")?.addEventListener("click", async () => (await import("./keys.js")).showKeys());
  return true;
}

// A key that is typed into nothing may be a short one. A dialog that was just closed holds the keyboard for a moment more.
async function onKey(event) {
  if (event.key.length > 1 || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest("input, select, textarea, dialog[open], [contenteditable]") || event.key === " ") return;
  (await import("./keys.js")).pressed(event.key);
}

// Buttons stay: the first that is pressed asks for the password, then it is done.
const sayReadOnly = async () => (await import("./sign-in-over.js")).sayReadOnly(me);

// Who looks and touches nothing only looks in the end: what a person does alone keeps a session's rights.
let touched = false;
for (const kind of ["pointerdown", "keydown", "wheel"]) addEventListener(kind, () => (touched = true), { passive: true });

export async function watchSession() {
  if (me === null) return; // a page that nobody signs in to
  if (touched) {
    touched = false;
    await ask("GET", "/state").catch(() => null); // asking who is there keeps no session, this does
  }
  const now = await whoAmI().catch(() => me);
  if (now === null || now.name !== me.name) return toTheDoor();
  const turned = now.read_only !== me.read_only;
  me = now;
  if (turned) await sayReadOnly();
}
