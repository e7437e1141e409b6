// Fields for a time, written as the page writes times: the same in every browser, in the table's zone unless an offset is given.

import { at, fromTableTime, moment } from "./shell.js";

const WRITTEN = /^(?:(\d{4})-(\d{1,2})-(\d{1,2})|(\d{1,2})\.(\d{1,2})\.(\d{4}))(?:(?:T| +)(\d{1,2}):(\d{2})(?::(\d{2}))?(?: *([ap])m)?)?(?: *(Z|[+-]\d{2}:\d{2}))?$/i;
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
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || hour > 23 || minute > 59 || second > 59) return NaN;
  if (isEnd && told[7] === undefined) date.setUTCDate(day + 1);
  const iso = `${date.toISOString().slice(0, 10)}T${two(hour)}:${two(minute)}:${two(second)}`;
  return told[11] ? Date.parse(`${iso}${told[11].toUpperCase()}`) / 1000 : fromTableTime(iso);
}

const wallOf = (field) => fromWritten(field.value, field.name === "until");

// The time in a field, in seconds since 1970; null for an empty one.
export const timeIn = (name) => (at(name).value.trim() ? wallOf(at(name)) : null);

// Whether every field has a time or nothing. What is wrong with the first one that has not is told, and the keyboard goes there.
export function timesAreGood() {
  const wrong = fields().filter((field) => field.value.trim() && Number.isNaN(wallOf(field)));
  for (const field of fields()) field.setAttribute("aria-invalid", String(wrong.includes(field)));
  if (!wrong.length) return true;
  at("told").textContent = `“${wrong[0].value}” is no time. Write it as ${wrong[0].placeholder}, a date alone or with an offset such as +11:00.`;
  wrong[0].focus();
  return false;
}

// A time that was typed is shown with its offset: what will be looked for.
function tidy({ target }) {
  const wall = target.value.trim() ? wallOf(target) : NaN;
  if (!Number.isNaN(wall)) target.value = moment(wall).replace(/:00( [ap]m)? (?=[+-])/, "$1 ");
  target.removeAttribute("aria-invalid");
}

export function beginTimes() {
  for (const field of fields()) field.addEventListener("change", tidy);
}
