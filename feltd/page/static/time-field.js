// Fields for a time, written as the page writes times: the same in every browser, in the table's zone unless an offset is given.

import { at, fromTableTime, moment } from "./shell.js";

const WRITTEN = /^(?:(\d{4})-(\d{1,2})-(\d{1,2})|(\d{1,2})\.(\d{1,2})\.(\d{4}))(?:(?:T| +|, *)(\d{1,2}):(\d{2})(?::(\d{2}))?(?: *([ap])m)?)?(?: *(Z|([+-])(\d{2}):?(\d{2})))?$/i;
const fields = () => [...document.querySelectorAll("input[data-time]")];
const two = (number) => String(number).padStart(2, "0");

// Seconds since 1970; NaN for what is no time. A date alone is its first second, or its end in the field for the end.
export function fromWritten(text, isEnd = false) {
  const told = WRITTEN.exec(text.trim());
  if (!told) return NaN;
  const [year, month, day] = (told[1] ? [told[1], told[2], told[3]] : [told[6], told[5], told[4]]).map(Number);
  const half = told[10]?.toLowerCase();
  let hour = Number(told[7] ?? 0);
  if (half && (hour < 1 || hour > 12)) return NaN;
  if (half) hour = (hour % 12) + (half === "p" ? 12 : 0);
  const [minute, second] = [Number(told[8] ?? 0), Number(told[9] ?? 0)];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // Date.UTC takes the year 26 for 1926
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || hour > 23 || minute > 59 || second > 59) return NaN;
  if (isEnd && told[7] === undefined) date.setUTCDate(day + 1);
  const iso = `${date.toISOString().slice(0, 10)}T${two(hour)}:${two(minute)}:${two(second)}`;
  if (!told[11]) return fromTableTime(iso);
  return Date.parse(told[12] ? `${iso}${told[12]}${told[13]}:${told[14]}` : `${iso}Z`) / 1000;
}

const wallOf = (field) => fromWritten(field.value, field.name === "until");

const isTaken = (wall) => wall >= 0 && wall < Date.UTC(2100) / 1000; // by the API

// The time in a field, in seconds since 1970; null for an empty one.
export const timeIn = (name) => (at(name).value.trim() ? wallOf(at(name)) : null);

// What is wrong with the times that are written, and the fields it is wrong in; null where nothing is.
function fault() {
  const written = fields().filter((field) => field.value.trim());
  for (const field of written) {
    const wall = wallOf(field);
    if (Number.isNaN(wall)) return { wrong: [field], words: `“${field.value}” is no time. Write it as ${field.placeholder}, a date alone or with an offset such as +11:00.` };
    if (!isTaken(wall)) return { wrong: [field], words: `“${field.value}” is not between 1970 and 2100. Correct the year.` };
  }
  const [from, until] = ["since", "until"].map((name) => written.find((field) => field.name === name));
  if (!from || !until || wallOf(from) <= wallOf(until)) return null;
  return { wrong: [from, until], words: `From (${from.value}) is later than Until (${until.value}). Correct one of them.` };
}

// Whether every field has a time or nothing, and From is not after Until. What is wrong is told, and the keyboard goes there.
export function timesAreGood() {
  const found = fault();
  for (const field of fields()) field.setAttribute("aria-invalid", String(Boolean(found?.wrong.includes(field))));
  if (found === null) return true;
  at("told").textContent = found.words;
  found.wrong[0].focus();
  return false;
}

// A time that was typed is shown with its offset: what will be looked for.
function tidy({ target }) {
  const wall = target.value.trim() ? wallOf(target) : NaN;
  if (isTaken(wall)) target.value = moment(wall).replace(/:00( [ap]m)? (?=[+-])/, "$1 ");
  for (const field of fields()) field.removeAttribute("aria-invalid"); // a fault may have been one of both fields
}

export function beginTimes() {
  for (const field of fields()) field.addEventListener("change", tidy);
}
