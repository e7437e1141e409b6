// The table's closed sets and their words, as the API gives them: asked for once a page.

import { ask } from "./api.js";

let known = null;

// Raises what `ask` raises; until it has come, every name stands for itself.
export async function learnWords() {
  known ??= await ask("GET", "/vocabulary");
}

export const wordsAreKnown = () => known !== null;

const members = (set) => (known === null ? [] : known[set]);

// The words of a member, such as `wordsFor("outcomes", "play_on")`. A name that the table no longer knows stands for itself.
export function wordsFor(set, name) {
  const member = members(set).find((one) => one.name === name);
  return member ? member.words : name.replaceAll("_", " ");
}

// A device's name, or its word: `alarm.text` has the same.
export const deviceInWords = (name) => members("devices").find((one) => one.name === name)?.words ?? name;

// The clause of a ruling: `House rule: card identity`, or the source's own number.
export function clauseInWords(rule) {
  const house = members("house_rules").find((one) => one.name === rule);
  return house ? `House rule: ${house.words}` : rule;
}

// The same within a sentence: `clause 19.1(d)`.
export const ruleInWords = (rule) => (clauseInWords(rule) === rule ? `clause ${rule}` : clauseInWords(rule));

// The words of an alarm's kind: it has the name of an irregularity, of a fault of the shoe, or one of its own.
export function wordsForAlarm(kind) {
  const set = ["alarms", "faults", "irregularities"].find((one) => members(one).some((member) => member.name === kind));
  return wordsFor(set || "alarms", kind);
}

// The decisions that are offered on `waiting` rulings, on `given` ones, on the `table`, or on a `seat`.
export const decisionsUpon = (place) => members("decisions").filter((decision) => decision.upon.includes(place));

// Whether a decision must come with a `ruling`, an `outcome`, a `seat` or a `reason`.
export const needs = (name, what) => members("decisions").some((decision) => decision.name === name && decision.needs.includes(what));

// What happens when a decision is taken: the text beside its button.
export const effectOf = (name) => members("decisions").find((decision) => decision.name === name)?.effect || "";

// The outcomes that a person may put in a ruling's place.
export const outcomesToChoose = () => members("outcomes").filter((outcome) => outcome.may_be_chosen);

export const beginSentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);
export const inSentence = (words) => words.charAt(0).toLowerCase() + words.slice(1);
