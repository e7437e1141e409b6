// Asks for how long an alarm is shelved, and why. Loaded with the first one.

import { at, button, make } from "./shell.js";

const MINUTES = [15, 30, 60, 120, 240, 480];
const inWords = (minutes) => (minutes < 60 ? `${minutes} min` : `${minutes / 60} h`);

// `group`: all alarms of this kind. `decide(body)` has the table do it. `table`: at the pit, which one.
export function shelve(alarm, group, decide, table = null) {
  const dialog = make("dialog");
  const what = group && alarm.many ? alarm.many.replace(/^\{\} /, "").replace(/:.*/, "") : group ? alarm.name : alarm.text;
  const title = make("h2", "", table === null ? `Shelve: ${what}` : `Shelve at ${table}: ${what}`);
  title.id = "shelve-title";
  dialog.setAttribute("aria-labelledby", title.id);
  const form = make("form");
  form.method = "dialog";
  const minutes = make("select");
  minutes.id = "shelve-minutes";
  minutes.append(...MINUTES.map((one) => Object.assign(make("option", "", inWords(one)), { value: one })));
  const why = Object.assign(make("textarea"), { id: "shelve-why", rows: 2, minLength: 3, maxLength: 500, required: true });
  const label = (words, field) => Object.assign(make("label", "", words), { htmlFor: field.id });
  const done = Object.assign(make("button", "main", "Shelve"), { type: "submit" });
  const tools = make("p", "tools");
  tools.append(done, button("Cancel", () => dialog.close()));
  form.append(label("For how long", minutes), minutes, label("Reason", why), why, tools);
  form.addEventListener("submit", () => decide({ decision: "shelve", alarm: alarm.kind, device: group ? null : alarm.device, seat: group ? null : alarm.seat, minutes: Number(minutes.value), reason: why.value.trim() }));
  dialog.append(title, make("p", "quiet", "Until then the alarm is not shown and does not escalate. Then it comes back. Your name and reason are recorded."), form);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  at("shelve-minutes").focus();
}
