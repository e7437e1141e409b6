// A step of a director: a form with who and why, sent behind the event that this desk has seen; a refusal beside its field.

import { ask } from "./api.js";
import { refusalInWords } from "./floor-words.js";
import { sendFrom, wantedFor } from "./late.js";
import { at, make, notice } from "./shell.js";

let desk = null; // the tournament as it was last told
let taken = async () => null; // asks for it anew
let below = "tournaments";
let sent = null;

// Where a refusal belongs, by its reason.
const FIELD_OF = {
  number_is_taken: "entry", in_play_already: "person", entered_already: "person", no_re_entry: "person", perhaps_the_same: "person", wrong_amount: "paid", full: "paid",
  seat_is_taken: "place", no_such_seat: "place", seated_already: "place", not_as_committed: "secret", not_committed: "secret",
  counts_differ: "second_chips", one_person: "second",
};

// `place`: below which address of the API steps are taken.
export function beginSteps(now, askAnew, place = "tournaments") {
  desk = now;
  taken = askAnew;
  below = place;
}

export const follow = (now) => (desk = now);

const AGAIN_MOST = 5;

// Whether tables alone have told something since, and nothing of what this step is about.
function onlyTables(seen, event) {
  const since = desk.log.filter((one) => one.seq > seen);
  const apart = (one) => one.who === null && (one.entry === null || one.entry !== event.entry) && (one.table === null || one.table !== event.table);
  return since.length > 0 && since.length === desk.seq - seen && since.every(apart);
}

// Takes a step; gives its outputs. Raises what went wrong, with the words, `reason` and `clause`. Fifty tables tell of a
// hand each second: where they alone came first, the person is not asked again.
export async function take(event, why) {
  for (let again = 0; ; again += 1) {
    const seen = desk.seq;
    try {
      const told = await ask("POST", `/${below}/${desk.id}/steps`, { expected: seen, event, why });
      await taken();
      return told.outputs;
    } catch (fault) {
      if (fault.reason !== "moved_on") throw fault;
      await taken();
      if (again >= AGAIN_MOST || !onlyTables(seen, event)) throw fault;
    }
  }
}

// Shows a refusal in `box`: beside the field that it is about, else at its end.
export function showRefusal(box, fault) {
  for (const place of box.querySelectorAll("[data-field]")) place.textContent = "";
  const places = [...box.querySelectorAll("[data-field]")];
  const named = (place) => place.dataset.field && (fault.reason ? place.dataset.field === FIELD_OF[fault.reason] : fault.message.includes(`: ${place.dataset.field}`));
  const place = places.find(named) || box.querySelector('[data-field=""]');
  place.textContent = `Not done: ${refusalInWords(fault)}`;
  if (place.dataset.field) box.querySelector(`[name="${place.dataset.field}"]`)?.focus();
}

// ---- the fields of a step

function inputOf(field) {
  if (field.kind === "select") {
    const made = make("select");
    for (const [value, words] of field.options) made.append(Object.assign(make("option", "", words), { value }));
    if (field.value !== undefined) made.value = field.value;
    return made;
  }
  const made = make(field.kind === "lines" ? "textarea" : "input");
  if (field.kind === "check") {
    made.type = "checkbox";
    made.checked = Boolean(field.value);
    return made;
  }
  if (field.kind === "lines") Object.assign(made, { rows: field.rows || 5, spellcheck: false });
  else made.autocomplete = "off";
  if (field.kind === "number") Object.assign(made, { inputMode: "numeric", pattern: "[0-9]+" });
  if (field.placeholder) made.placeholder = field.placeholder;
  made.value = field.value ?? "";
  made.required = !field.optional;
  return made;
}

function valueOf(field, control) {
  if (field.kind === "check") return control.checked;
  if (field.read) return field.read(control.value);
  return field.kind === "number" ? Number(control.value) : control.value;
}

// Opens the form of a step. `asked`: `ev`, `title`, `about`, `fixed`, `fields`, `why`, and `make(values)` where the event is
// not `fixed` with the fields' values; `done(outputs, here)` afterwards, `here`: nobody has left the form meanwhile.
export function openStep(asked) {
  wantedFor(at("step"));
  at("step-title").textContent = asked.title;
  at("step-about").textContent = asked.about || "";
  at("step-do").textContent = asked.does || asked.title;
  at("step-refusal").dataset.field = "";
  at("step-refusal").textContent = "";
  at("step-why").value = asked.why || "";
  const controls = (asked.fields || []).map((field) => {
    const control = inputOf(field);
    control.id = `field-${field.name}`;
    control.name = field.name;
    const label = Object.assign(make("label", "", field.words), { htmlFor: control.id });
    const refusal = make("small", "refusal");
    refusal.dataset.field = field.name;
    refusal.setAttribute("role", "alert");
    const box = make("p", field.kind === "check" ? "check" : "");
    box.append(label, control, refusal);
    return { field, control, box };
  });
  at("step-fields").replaceChildren(...controls.map((one) => one.box));
  sent = async () => {
    const send = async () => {
      const values = Object.fromEntries(controls.map(({ field, control }) => [field.name, valueOf(field, control)]));
      const event = asked.make ? asked.make(values) : { ...values };
      return take({ ev: asked.ev, ...(asked.fixed || {}), ...event }, at("step-why").value.trim());
    };
    const inWords = (fault) => [asked.about, `Not done: ${refusalInWords(fault)}`].filter(Boolean).join(". ");
    const done = await sendFrom(at("step"), [at("step-do")], send, inWords, (words, fault) => showRefusal(at("step-form"), fault));
    if (done !== null && asked.done) asked.done(done.told, done.here);
  };
  at("step").showModal();
  (controls[0]?.control || at("step-why")).focus();
}

at("step-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sent();
});
at("step-leave").addEventListener("click", () => at("step").close());

// ---- the secrets of the draws

let secrets = [];

// A file of `feltd tournament commit`: every 64 hexadecimal digits in it, in their order; the commitment is the first.
export function readSecrets(text) {
  secrets = text.toLowerCase().match(/\b[0-9a-f]{64}\b/g) || [];
  return nextSecret() !== null || (desk.draw.commitment === null && secrets.length > 1);
}

export const commitmentRead = () => (secrets.length > 1 ? secrets[0] : null);

// The secret that the tournament is committed to now; null where the file that was read does not have it.
export function nextSecret() {
  const place = desk.draw.commitment === null ? -1 : secrets.indexOf(desk.draw.commitment);
  return place < 0 || place + 1 >= secrets.length ? null : secrets[place + 1];
}

// The field of a step that draws: nothing where the floor keeps the secrets itself, or a file of them was read.
export function secretFields() {
  if (desk.draws !== null && desk.draws !== undefined) return [];
  return [{ name: "secret", words: "Secret of this draw (64 hexadecimal digits; empty where the floor keeps it)", value: nextSecret() || "", optional: true, read: (text) => text.trim().toLowerCase() || undefined }];
}

// A card's number is printed in groups on some cards: the blanks are no part of it.
export const cardRead = (text) => text.replace(/\s+/g, "");

// Whether the desk has seen that a person is not the one whose card or name is like.
export const anotherField = () => ({ name: "another", words: "Not the person with a similar name or card: identity document checked", kind: "check" });

export function failed(what, fault) {
  notice(`${what}: ${refusalInWords(fault)}.`);
}
