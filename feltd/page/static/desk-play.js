// The clock and its schedule; places, prizes and what the director decides of them.

import { failed, openStep, take } from "./desk-steps.js";
import { anteOf, blindsOf, chips, clauseOf, hms, leftNow, money, placeOf, toCents } from "./floor-words.js";
import { fetchFile } from "./files.js";
import { at, button, make, may, notice, putRows, redraw } from "./shell.js";

let scheduled = "";
let offered = "";

async function now(ev, why, fields = {}) {
  try {
    await take({ ev, ...fields }, why);
  } catch (fault) {
    failed("Not done", fault);
  }
}
const stepButton = (words, asked, className) => button(words, () => openStep({ title: words.replace("…", ""), ...asked }), className);

// ---- the clock

// `20 100/200 200bb 10`: minutes, blinds, ante (bb: posted by the big blind; - for none), minutes of the break after it.
export function levelsRead(text) {
  return text.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => {
    const [minutes, blinds, ante, pause] = line.split(/\s+/);
    const level = { seconds: Number(minutes) * 60, blinds: blinds && blinds !== "-" ? blinds.split("/").map(Number) : [] };
    if (ante && ante !== "-") Object.assign(level, { ante: parseInt(ante, 10), big_blind_ante: ante.endsWith("bb") });
    if (pause && pause !== "-") level.break_after = Number(pause) * 60;
    return level;
  });
}

function levelsWritten(clock) {
  return clock.levels.map((one) => [one.seconds / 60, one.blinds.join("/") || "-", one.ante ? `${one.ante}${one.big_blind_ante ? "bb" : ""}` : "-", one.break_after ? one.break_after / 60 : ""].join(" ").trim()).join("\n");
}

function seconds(text) {
  const parts = text.trim().split(":").map(Number);
  return parts.length === 1 ? parts[0] * 60 : parts.reduce((sum, one) => sum * 60 + one, 0);
}

export function drawClock(desk, after) {
  const clock = desk.clock;
  const schedule = clock ? JSON.stringify(clock.levels) : "";
  if (clock === null) at("clock-now").textContent = "There is no schedule yet.";
  else {
    const left = leftNow(clock, after());
    const next = clock.next ? `, then ${blindsOf(clock.next)}, ${anteOf(clock.next)}` : "";
    at("clock-now").textContent = `Level ${clock.level.level}: ${blindsOf(clock.level)}, ${anteOf(clock.level)}${left === null ? "" : `, ${hms(left)} left`}${next}`;
  }
  const state = JSON.stringify([schedule, clock && [clock.running, clock.in_break, clock.action_clock], desk.chips.night, desk.chips.race, may("tournament")]);
  if (state !== offered) {
    offered = state;
    redraw(at("clock-tools"), may("tournament") ? clockTools(desk, clock) : []);
  }
  if (schedule === scheduled) return;
  scheduled = schedule;
  putRows(
    at("levels"),
    (clock ? clock.levels : []).map((one) => {
      const row = make("tr");
      row.append(make("td", "n", one.level), make("td", "n", blindsOf(one)), make("td", "", anteOf(one)), make("td", "n", one.seconds / 60), make("td", "n", one.break_after ? `${one.break_after / 60} min` : ""));
      return row;
    })
  );
}

function clockTools(desk, clock) {
  const levels = { name: "levels", words: "A level a line: minutes, blinds, ante (200bb: posted by the big blind), minutes of break after it", kind: "lines", rows: 10, placeholder: "20 100/200 200bb\n20 200/400 400bb 10", value: clock ? levelsWritten(clock) : "", read: levelsRead };
  const tools = [stepButton(clock ? "Change the schedule…" : "Set the schedule…", { ev: "schedule", fields: [levels] })];
  if (clock) {
    tools.unshift(clock.running ? button("Stop the clock", () => now("clock.stands", "an interruption"), "main") : button("Start the clock", () => now("clock.runs", "play goes on"), "main"));
    tools.push(stepButton("Set the clock…", { ev: "clock.put", fields: [{ name: "elapsed", words: "Time played (minutes, or h:mm:ss)", value: hms(Math.floor(clock.elapsed)), read: seconds }, { name: "running", words: "The clock runs", kind: "check", value: clock.running }] }));
    if (!clock.action_clock) tools.push(stepButton("Action clock…", { ev: "action_clock", fixed: { on: true } }));
  }
  if (desk.chips.race) tools.push(stepButton("Take the chip race back…", { ev: "race.taken_back", about: `It was ordered by mistake. These tables race no chips: ${desk.chips.race.waits_for.join(", ")}. What others have raced stays so.` }));
  else tools.push(stepButton("Chip race…", { ev: "race.ordered", fields: [{ name: "chip", words: "Chip that is raced off", kind: "number" }, { name: "new_chip", words: "For this chip", kind: "number" }] }));
  if (desk.chips.night) tools.push(stepButton("Go on…", { ev: "resumed" }));
  else tools.push(stepButton("Suspend for the night…", { ev: "suspended", about: "Every stack is in its bag, counted by two people." }));
  return tools;
}

// ---- places and prizes

function bagged(desk) {
  const open = desk.entries.filter((one) => one.standing === "in_play" && (!one.bagged || desk.chips.night));
  if (!open.length) return [];
  const fields = [
    { name: "entry", words: "Whose stack", kind: "select", options: open.map((one) => [`${one.entry}`, `${one.name}, ${one.table}, seat ${one.seat}`]), read: Number },
    { name: "first", words: "Counted by" },
    { name: "first_chips", words: "Chips", kind: "number" },
    { name: "second", words: "And counted by" },
    { name: "second_chips", words: "Chips", kind: "number" },
  ];
  return [stepButton("Bag a stack…", { ev: "stack.bagged", fields, why: "end of the day" })];
}

// `100 200 199` on a line: 200 chips of 100 were issued, and 199 came back.
const returnedRead = (text) => text.split("\n").map((line) => line.trim().split(/\s+/).map(Number)).filter((one) => one.length === 3).map(([chip, issued, back]) => ({ chip, issued, back }));

function counts() {
  const counted = [{ name: "stage", words: "Round, heat or final", value: "1" }, { name: "chips", words: "Chips of all players, as counted", kind: "number" }];
  const returned = [{ name: "chips", words: "Each denomination: its value, how many were issued, how many came back, one a line", kind: "lines", placeholder: "100 200 200", read: returnedRead }];
  return [stepButton("Count all chips…", { ev: "chips.counted", fields: counted }), stepButton("Chips came back…", { ev: "chips.returned", fields: returned })];
}

// The entries of one hand, each with its rank among them.
function ranking(desk, one) {
  const name = new Map(desk.entries.map((entry) => [entry.entry, entry.name]));
  const fields = one.entries.map((entry, place) => ({ name: `rank-${entry}`, words: `${name.get(entry)}: 1 is the highest, the same number shares`, kind: "number", value: `${place + 1}` }));
  const groups = (values) => {
    const ranks = [...new Set(Object.values(values))].sort((a, b) => a - b);
    return ranks.map((rank) => one.entries.filter((entry) => values[`rank-${entry}`] === rank));
  };
  return { ev: "place.decided", fields, make: (values) => ({ order: one.order, groups: groups(values) }) };
}

const ASKS = { stack: "Who had more chips before the hand?", contribution: "Who put more chips into the pots?", director: "Who is placed higher?" };

// Of two one answer is enough.
function higher(desk, one) {
  const [first, second] = one.entries;
  const name = (entry) => desk.entries.find((other) => other.entry === entry).name;
  const options = [["first", name(first)], ["second", name(second)], ["same", "both the same: they share"]];
  const groups = { first: [[first], [second]], second: [[second], [first]], same: [[first, second]] };
  return { ev: "place.decided", fields: [{ name: "higher", words: ASKS[one.measure], kind: "select", options }], make: (values) => ({ order: one.order, groups: groups[values.higher] }) };
}

// What the tables have told of those who went out together.
function toldOf(desk, one) {
  const told = one.entries.map((entry, place) => {
    const name = desk.entries.find((other) => other.entry === entry).name;
    return one.amounts[place] === null ? `${name} at ${one.tables[place]}: chips not known` : `${name} at ${one.tables[place]}: ${chips(one.amounts[place])} chips`;
  });
  return `${told.join(" · ")}${clauseOf(one.clause)}`;
}

export function decide(desk, one) {
  const asked = one.entries.length === 2 ? higher(desk, one) : ranking(desk, one);
  return stepButton(`Decide the places of entries ${one.entries.join(", ")}…`, { ...asked, about: toldOf(desk, one), why: "as the table saw it" }, "main");
}

// Somebody has looked at what a table told, and has done what there was to do.
export function settle(one) {
  return stepButton("Settled…", { ev: "report.settled", about: `${one.table}: ${one.words}. It goes from this list, and stays in the log.`, fixed: { number: one.number } }, "main");
}

// `12` and `7 9` on two lines: entry 12 is placed highest, and below it 7 and 9 share.
const groupsRead = (text) => text.split("\n").map((line) => line.trim().split(/\s+/).filter(Boolean).map(Number)).filter((group) => group.length);

// Several who went out one right after the other are placed anew: in one chip race, or in hands that nobody could tell apart.
function placesAnew(desk) {
  const orders = new Map(desk.entries.filter((one) => one.order !== null).map((one) => [one.entry, one.order]));
  if (orders.size < 2) return [];
  const fields = [{ name: "groups", words: "Their entry numbers, the highest place on top, one a line; who share are on one line", kind: "lines", placeholder: "12\n7 9", read: groupsRead }];
  const about = "For players who went out together, as in one chip race, and were placed one after the other. Nobody else went out between them.";
  const first = (groups) => Math.min(...groups.flat().filter((entry) => orders.has(entry)).map((entry) => orders.get(entry)));
  return [stepButton("Place together…", { ev: "place.decided", about, fields, make: ({ groups }) => ({ order: Number.isFinite(first(groups)) ? first(groups) : 1, groups }) })];
}

// For a table that will not tell the end of a hand: its places, and all after it, stand without the report.
export function withoutReport(desk, one) {
  const about = `${one.tables.join(", ")} has not told this hand. Its places, and those of all who went out later, do not wait for that any more, and prizes are told.`;
  return stepButton(one.hand === null ? "Places without the report…" : `Places of hand ${one.hand} without the report…`, { ...ranking(desk, one), about });
}

function chop(desk) {
  if (desk.money.chopped) return [stepButton("Take the chop back…", { ev: "chop.taken_back", about: "Prizes follow from places again. What the cage has paid must be back first." })];
  const left = desk.entries.filter((one) => ["in_play", "waiting"].includes(one.standing));
  if (left.length < 2 || left.length > 30 || !desk.money.amounts.length) return [];
  const fields = left.map((one) => ({ name: `cents-${one.entry}`, words: one.name, read: toCents }));
  return [stepButton("Chop…", { ev: "chop", about: "All who are left agree, and what they agree on is the rest of the pool.", fields, make: (values) => ({ cents: left.map((one) => [one.entry, values[`cents-${one.entry}`]]) }) })];
}

function callOff(desk) {
  if (desk.cancelled) return [stepButton("It goes on…", { ev: "tournament.taken_back", about: "It was called off by mistake: seats, chips, places and prizes are as they were, and the clock is paused. What the cage has given back must be there again." })];
  const given = desk.rules.refund ? [] : [{ name: "refund", words: "What was paid", kind: "select", options: [["1", "goes back"], ["0", "does not go back"]], read: (text) => text === "1" }];
  const clause = clauseOf(desk.rules.refund);
  const about = desk.rules.refund ? `Nobody plays on, and all that was paid goes back${clause}.` : "Nobody plays on.";
  return [stepButton("Call the tournament off…", { ev: "tournament.cancelled", about, fields: given, done: refunds })];
}

// What the cage gives back, by entry.
function refunds(outputs) {
  const back = outputs.filter((one) => one.kind === "refund");
  if (!back.length) return notice("The tournament is called off. Nothing goes back.");
  const sum = money(back.reduce((all, one) => all + one.cents, 0));
  notice(`The tournament is called off. ${back.length} entries get ${sum} back.`);
}

let shown = "";

export function drawPlaces(desk) {
  const text = JSON.stringify([desk.seq, may("tournament")]);
  if (text === shown) return;
  shown = text;
  const amounts = desk.money.amounts.map((cents, place) => `${place + 1}: ${money(cents)}`);
  const rows = [
    ["Prize pool", `${money(desk.money.pool)}${clauseOf(desk.money.clause)}`],
    ["Prizes", amounts.length ? amounts.join(" · ") : "nobody has said yet what each place gets"],
    ["Chips in play", chips(desk.chips.in_play)],
    ["Field", `${desk.places.field} entries have a place, or get one`],
  ];
  at("money").replaceChildren(...rows.flatMap(([term, words]) => [make("dt", "", term), make("dd", "", words)]));
  const tools = [];
  if (may("tournament")) {
    const missing = desk.places.unreported.map((one) => one.order);
    tools.push(...desk.places.to_decide.filter((one) => !missing.includes(one.order)).map((one) => decide(desk, one)));
    tools.push(...desk.places.unreported.map((one) => withoutReport(desk, one)), ...placesAnew(desk));
    const percent = { name: "percent", words: "Percent of the pool for each place, the first on top, one a line; together 100", kind: "lines", placeholder: "50\n30\n20", read: (lines) => lines.split(/\s+/).filter(Boolean).map((one) => one.replace(",", ".")) };
    tools.push(stepButton("Set the payouts…", { ev: "payouts.set", fields: [percent] }), ...chop(desk), ...counts(), ...bagged(desk), ...callOff(desk));
  }
  if (may("export")) {
    for (const [format, words] of [["csv", "Payouts for the cage (CSV)"], ["json", "Payouts for the cage (JSON)"]]) tools.push(button(words, () => fetchFile(`/api/v1/tournaments/${desk.id}/payouts?format=${format}`, at("results-refusal"))));
    for (const [format, words] of [["csv", "Results (CSV)"], ["json", "Results (JSON)"], ["ots", "Summary (OTS)"]]) tools.push(button(words, () => fetchFile(`/api/v1/tournaments/${desk.id}/results?format=${format}`, at("results-refusal"))));
  }
  redraw(at("places-tools"), tools);
  const placed = desk.entries.filter((one) => one.first !== null).sort((one, other) => one.first - other.first || one.entry - other.entry);
  putRows(
    at("places"),
    placed.map((one) => {
      const row = make("tr");
      row.append(make("td", "n", placeOf(one)), make("td", "long", one.name), make("td", "n", one.entry), make("td", "n", one.prize ? money(one.prize) : ""), make("td", "", one.provisional ? "may still change" : ""));
      return row;
    })
  );
}
