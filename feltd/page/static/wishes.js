// What tables shall play, have set or run: wished, approved by another person, rolled out, stopped, taken back.

import { ask, whoAmI } from "./api.js";
import { inOrder, openKnowing, sendFrom } from "./late.js";
import { byName } from "./pit-watch.js";
import { at, begin, button, make, may, moment, redraw, since } from "./shell.js";

const AGAIN_AFTER = 3000;
const HOLDS = {
  held: "holds it",
  wished: "is asked",
  taken: "has taken it, and will hold it",
  left: "does not hold it any more",
  waits: "waits",
  refused: "refuses",
  away: "no connection",
  replaced: "has a later wish",
  stopped: "is not asked any more",
};
const SAYS = {
  approve: ["Approve this wish", "The first table takes it then, and afterwards the others."],
  stop: ["Stop this wish", "No further table takes it. Who has taken it keeps it, until it is wished back."],
  back: ["Wish it back", "Each table that has taken it goes back to what it had before. Another person approves this."],
};
const asks = inOrder();
let said = null; // what the dialog is about: what is said, and to which wish

const put = (settings) => (settings ? Object.entries(settings.values).map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(" ") || "as its file says" : "not known");
const played = (play) => (play ? `${play.rulebook} ${play.digest.slice(0, 12)}${Object.entries(play.options).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`).join("")}` : "not known");

function nameOf(wish) {
  if (wish.version) return `Wish ${wish.number}, version ${wish.version}`;
  return wish.back_of === null ? `Wish ${wish.number}` : `Wish ${wish.number}, back from wish ${wish.back_of}`;
}

function stageOf(wish) {
  if (wish.stage === "proposed") return "waits for a second person";
  if (wish.stage === "stopped") return `stopped by ${wish.stopped}: ${wish.stopped_why}`;
  if (wish.stage === "rolling") return "all of its tables take it";
  if (wish.left !== null) return `${wish.canary} holds it first, for ${since(wish.left)} more`;
  return `${wish.canary} takes it first`;
}

function toolsOf(wish) {
  const tools = make("p", "tools");
  if (!may("wish")) return tools;
  const add = (what, words) => tools.append(button(words, () => open(what, wish)));
  if (wish.stage === "proposed" && !wish.mine) add("approve", "Approve…");
  if (wish.stage !== "stopped") add("stop", "Stop…");
  if (wish.stage !== "proposed" && !wish.version) add("back", "Back…");
  return tools;
}

function toldOf(wish, table) {
  if (wish.version) return `runs ${table.runs ?? "not known"}`;
  if (table.wants) return `wished: ${put(table.wants)}; has: ${put(table.has)}`;
  return `wished: ${played(table.wished)}; plays: ${played(table.plays)}`;
}

function itemOf(wish) {
  const item = make("section");
  item.dataset.item = `${wish.number}`;
  item.append(make("h3", "", nameOf(wish)));
  item.append(make("p", "", stageOf(wish)), make("p", "quiet", `${moment(wish.at)} ${wish.who}: ${wish.why}`));
  if (wish.approved) item.append(make("p", "quiet", `Approved by ${wish.approved}: ${wish.approved_why}`));
  const list = make("dl");
  for (const table of wish.tables) {
    const words = table.words ? `${HOLDS[table.holds]}: ${table.words}` : HOLDS[table.holds];
    const row = make("dd", ["refused", "left"].includes(table.holds) ? "bad" : "", words);
    const told = toldOf(wish, table);
    row.append(make("br"), make("small", "quiet", told));
    list.append(make("dt", "", table.table), row);
  }
  item.append(list, toolsOf(wish));
  return item;
}

async function look() {
  const counts = asks();
  try {
    const wishes = await ask("GET", "/wishes");
    if (!counts()) return;
    redraw(at("wishes"), wishes.map(itemOf));
    at("no-wishes").hidden = wishes.length > 0;
    at("told").textContent = "";
  } catch (fault) {
    if (counts()) at("told").textContent = `Could not load: ${fault.message}.`;
  }
}

// ---- a new wish

function optionsOf(text) {
  const options = {};
  for (const line of text.split("\n").filter((one) => one.trim())) {
    const [, name, value] = /^\s*([\w-]+)\s*=(.*)$/.exec(line) || [];
    try {
      options[name] = JSON.parse(value);
    } catch {
      throw new Error(`"${line.trim()}" is no line of the form name = value`);
    }
  }
  return options;
}

const chosen = () => [...at("choices").querySelectorAll("input:checked")].map((box) => box.value);

function chooseFirst() {
  const before = at("first").value;
  at("first").replaceChildren(...chosen().map((table) => make("option", "", table)));
  if (chosen().includes(before)) at("first").value = before;
}

async function offerTables() {
  const { tables } = await ask("GET", "/pit");
  for (const table of tables.sort((one, other) => byName(one.name, other.name))) {
    const label = make("label");
    const box = make("input");
    Object.assign(box, { type: "checkbox", value: table.name });
    box.addEventListener("change", chooseFirst);
    label.append(box, ` ${table.name} `);
    at("choices").append(label);
  }
}

function chooseKind() {
  for (const part of at("new-wish").querySelectorAll("[data-kind]")) part.hidden = part.dataset.kind !== at("kind").value;
}

// Where a wish of this kind goes, and what is wished.
function wanted(kind) {
  if (kind === "settings") return ["/wishes/settings", { settings: optionsOf(at("settings").value) }];
  if (kind === "version") return ["/wishes/version", { version: at("version").value.trim() }];
  return ["/wishes", { rulebook: at("rulebook").value, options: optionsOf(at("options").value) }];
}

async function wished(event) {
  event.preventDefault();
  at("new-refusal").textContent = "";
  try {
    const [place, what] = wanted(at("kind").value);
    const reason = at("new-reason").value;
    await ask("POST", place, { ...what, tables: chosen(), first: at("first").value || null, hold_minutes: Number(at("hold").value), reason: reason.trim() });
    if (at("new-reason").value === reason) at("new-reason").value = "";
    await look();
  } catch (fault) {
    at("new-refusal").textContent = `Not kept: ${fault.message}.`;
  }
}

// ---- said to one

const open = (what, wish) => openKnowing(at("say"), (me) => show(me, what, wish));

function show(me, what, wish) {
  const approves = what === "approve";
  said = { what, number: wish.number };
  [at("say-title").textContent, at("say-about").textContent] = SAYS[what];
  at("say-do").textContent = SAYS[what][0];
  at("say").querySelector("form").reset();
  at("say-proof").hidden = !approves;
  at("say-password").required = approves;
  at("say-code-box").hidden = !me?.app;
  at("say-refusal").textContent = "";
  at("say").showModal();
  at("say-reason").focus();
}

// What a second person gives once more: the password, and a second factor where they have one.
async function proven(password, code) {
  const { proof } = await import("./security-keys.js");
  return { password, ...(await proof(await whoAmI(), code)) };
}

async function say(event) {
  event.preventDefault();
  const { what, number } = said;
  const reason = at("say-reason").value.trim();
  const [password, code] = [at("say-password").value, at("say-code").value];
  at("say-password").value = "";
  const send = async () => ask("POST", `/wishes/${what}`, { number, reason, ...(what === "approve" ? await proven(password, code) : {}) });
  const inWords = (fault) => `Not kept: ${fault.message}.`;
  const kept = await sendFrom(at("say"), [at("say-do")], send, inWords, (words) => (at("say-refusal").textContent = words));
  if (kept !== null) await look();
}

at("say").querySelector("form").addEventListener("submit", say);
at("say-leave").addEventListener("click", () => at("say").close());
at("new-wish").addEventListener("submit", wished);
at("kind").addEventListener("change", chooseKind);
if (await begin()) {
  await look();
  if (may("wish")) await offerTables();
  setInterval(look, AGAIN_AFTER);
}
