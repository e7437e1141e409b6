// The technician's page: how each device and the controller fare, tests in test mode.

import { ask } from "./api.js";
import { beginKeys, openKey, stepsChanged } from "./device-key.js";
import { not, sendFrom, wantedFor } from "./late.js";
import { follow } from "./live.js";
import { at, begin, button, decimal, make, may, moment, pressing, since, timeWithOffset } from "./shell.js";
import { beginTogether, drawTogether } from "./together.js";

const WORDS = {
  stopped: "not started", connecting: "opening its port", handshaking: "asking who is there",
  catching_up: "catching up", up: "up", waiting: "offline, reconnecting",
};
const COUNTERS = [
  ["events", "events"], ["frames_received", "frames received"], ["frames_sent", "frames sent"],
  ["bad_frames", "bad frames"], ["resynchronised_bytes", "bytes passed over"], ["stale_frames", "frames out of place"],
  ["authentication_failures", "frames not authentic"], ["retransmissions", "events sent again"],
  ["pauses", "pauses in reading"], ["sessions", "sessions"], ["reconnects", "reconnects"], ["faults", "messages against the rules"],
];
const TELLING = new Set(["bad_frames", "authentication_failures", "reconnects", "faults"]);
const TRUST = {
  session: () => "a session under its own key",
  adapter: (device) => `the adapter ${device.adapter} says that it proves who speaks; feltd does not`,
  pins: () => "the controller's own pins",
  none: (device) => `not authenticated: anybody on the wire may speak for it (adapter ${device.adapter})`,
};
const SIGNATURE = { signed: "good; compare the key with its maker's", unsigned: "none: an unsigned build", false: "FALSE: it is not of this manifest" };
const GATHER = 150; // milliseconds in which changes are gathered
const TESTS = { lamp: "Light it for 2 s", display: "Fill the display", buzzer: "Sound the buzzer", clock: "Run the clock for 5 s", listen: "Wait for it" };

let seen = null;
const opened = new Set();

const bytes = (n) => (n === null ? "–" : n < 1e6 ? `${Math.round(n / 1000)} kB` : n < 1e9 ? `${Math.round(n / 1e6)} MB` : `${decimal(n / 1e9)} GB`);
const degrees = (n) => (n === null ? null : `${decimal(n)} °C`);

function list(rows) {
  const made = make("dl");
  fill(made, rows);
  return made;
}

function fill(place, rows) {
  const told = rows.filter(([, words]) => words !== null && words !== undefined);
  place.replaceChildren(...told.flatMap(([name, words, bad]) => [make("dt", "", name), make("dd", bad ? "bad" : "", words)]));
}

// A part that may be opened, and stays as a person left it while everything is drawn anew.
function opening(key, words, content) {
  const made = make("details");
  made.open = opened.has(key);
  const head = make("summary", "", words);
  head.dataset.keep = key;
  made.append(head, content);
  made.addEventListener("toggle", () => (made.open ? opened.add(key) : opened.delete(key)));
  return made;
}

async function tell(place, what, doing) {
  at(place).textContent = "";
  try {
    const done = await doing();
    await look();
    return done;
  } catch (fault) {
    at(place).textContent = not(what)(fault);
    return null;
  }
}

// ---- one device

const ROLES = { shoe: "shoe", reader: "reader", badge: "badge", dropbox: "dropbox", indicators: "indicators", keys: "keys", markers: "markers" };

function about(device) {
  const { link, identity, status } = device;
  const rows = [
    ["Role", ROLES[device.role] || device.role],
    ["Watches", device.watches.length ? device.watches.join(", ") : null],
    ["Port", device.port],
    ["Trust", TRUST[device.trust](device), device.trust === "none"],
    ["Serial number", identity ? `${identity.serial || "it names none"}${device.wanted_serial || device.adapter ? "" : " (any with the key is taken)"}` : device.wanted_serial],
    ["Firmware, as it says", identity ? identity.says_firmware || "none named" : null],
    ["Round trip", link.round_trip_ms === null ? null : `${decimal(link.round_trip_ms, 2)} ms, longest ${decimal(link.longest_round_trip_ms, 2)} ms`],
  ];
  if (identity && device.adapter) rows.push(["Events", "do not survive its restart, nor a lost link"]);
  else if (identity) rows.push(["Protocol", `${identity.protocol}, events ${identity.keeps_events ? "survive" : "do not survive"} its restart`]);
  if (!status) return rows;
  rows.push(
    ["Runs, by its own clock", status.says_up_seconds === null ? null : since(status.says_up_seconds)],
    ["Supply", status.millivolts === null ? null : `${decimal(status.millivolts / 1000, 2)} V`],
    ["Temperature", degrees(status.celsius)],
    ["Free memory", status.free_bytes === null ? null : bytes(status.free_bytes)],
    ["Waiting events", status.waiting_events],
    ["It notes", status.note],
    ["Last said so", timeWithOffset(status.wall), seen.wall - status.wall > 5],
  );
  return rows;
}

// How well a reader reads each of its zones, and what is wrong there.
function zones(device) {
  if (!device.zones.length) return [];
  const table = make("table", "zones");
  const head = make("tr");
  for (const words of ["Zone", "Read whole", "Torn", "Scan", "Trouble"]) head.append(make("th", "", words));
  table.append(head);
  for (const one of device.zones) {
    const row = make("tr");
    const numbers = one.whole === null ? ["–", "–", "–"] : [`${one.whole} %`, `${one.torn} / 100`, `${one.milliseconds} ms`];
    row.append(make("td", "", one.words), ...numbers.map((words) => make("td", "n", words)), make("td", one.trouble ? "bad" : "", one.trouble_words || "–"));
    table.append(row);
  }
  const made = make("div", "zones");
  made.append(table, make("p", "quiet", "Numbers are of the last scans before this round, or of now between two rounds."));
  return [made];
}

function frames(fault) {
  const table = make("table");
  const head = make("tr");
  for (const words of ["Before", "", "Kind", "Bytes"]) head.append(make("th", "", words));
  table.append(head);
  for (const frame of fault.frames) {
    const row = make("tr");
    row.append(
      make("td", "n", `${decimal(frame.seconds_before, 2)} s`), make("td", "", frame.sent ? "to it" : "from it"),
      make("td", "", frame.kind), make("td", "n", frame.bytes),
    );
    table.append(row);
  }
  return table;
}

function faults(device) {
  const { fault, last_fault: last } = device.link;
  const made = [];
  if (fault) {
    made.push(make("p", "refusal", fault.text));
    if (fault.remedy) made.push(make("p", "remedy", fault.remedy));
  }
  if (last) {
    const told = make("div");
    told.append(make("p", "", `${moment(last.wall)}: ${last.text}`));
    if (last.frames.length) told.append(frames(last));
    made.push(opening(`${device.name} fault`, "Its last fault, and the frames before it", told));
  }
  return made;
}

async function startTest(device, body) {
  await tell("mode-refusal", "tested", () => ask("POST", `/devices/${device.name}/test`, body));
  at(seen.test ? "test-section" : "mode-section").scrollIntoView({ block: "nearest" }); // its result, or why there is none
}

function chooser(device, id, words, choices, begin) {
  const label = make("label", "", words);
  label.htmlFor = id;
  const select = make("select");
  select.id = id;
  select.append(...choices.map(([value, text]) => Object.assign(make("option", "", text), { value })));
  const kept = chosen.get(id);
  if (kept !== undefined) select.value = kept;
  select.addEventListener("change", () => chosen.set(id, select.value));
  return [label, select, begin(select)];
}

const chosen = new Map();

function tests(device) {
  const ready = seen.test_mode && seen.between_rounds && device.link.up;
  const place = make("div", "tools");
  const id = device.name.replaceAll(":", "-");
  for (const test of device.tests) {
    const start = (body) => {
      const made = button(TESTS[test], () => startTest(device, { test, ...body() }));
      made.disabled = !ready;
      made.dataset.keep = `${device.name} ${test}`;
      return made;
    };
    if (test === "lamp") {
      const lamps = device.lamps.map((lamp) => [lamp, lamp]);
      place.append(...chooser(device, `lamp-${id}`, "Lamp", lamps, (select) => start(() => ({ lamp: select.value }))));
    } else if (test === "listen") {
      const events = [["", "anything"], ...device.says.filter((one) => one !== "test_mode").map((one) => [one, one.replaceAll("_", " ")])];
      place.append(...chooser(device, `says-${id}`, "Wait for", events, (select) => start(() => ({ expect: select.value || null }))));
    } else place.append(start(() => ({})));
  }
  return place;
}

function tools(device) {
  if (!may("devices")) return [];
  const made = device.tests.length ? [tests(device)] : [];
  const key = make("p", "tools");
  if (device.key.changeable) {
    const open = button("Another key…", () => openKey(device));
    open.dataset.keep = `${device.name} key`;
    key.append(open);
    if (device.key.old_kept) key.append(make("span", "quiet", "New key pending: restart the device"));
  } else if (!device.adapter) key.append(make("span", "quiet", `Its key is not changed here: ${device.key.why_not}.`));
  return [...made, key];
}

function replaced(device) {
  if (!device.replaced) return [];
  const told = make("div", "replaced");
  told.append(make("p", "", `Another device than the last time is in this place: ${device.replaced.serial || "it has not come up"}, was ${device.replaced.before}.`));
  if (may("devices")) {
    const accept = button("Accept device", () => tell("mode-refusal", "accepted", () => ask("POST", `/devices/${device.name}/accept`)));
    accept.dataset.keep = `${device.name} accept`;
    told.append(accept);
  }
  return [told];
}

function missing(device) {
  if (!device.missing) return [];
  const told = make("div", "replaced");
  told.append(make("p", "", device.missing));
  if (may("devices")) {
    const accept = button("Accept missing events", () => tell("mode-refusal", "accepted", () => ask("POST", `/devices/${device.name}/accept`)));
    accept.dataset.keep = `${device.name} missing`;
    told.append(accept);
  }
  return [told];
}

function disabled(device) {
  if (!device.disabled.length) return [];
  const told = make("div", "replaced");
  for (const one of device.disabled) told.append(make("p", "", `${one.name.replaceAll("_", " ")} (${one.place}) is ${one.words}, and disabled for ${since(seen.wall - one.since)}. It is used again when it has been quiet for some seconds.`));
  if (may("devices")) {
    const accept = button("Clear fault", () => tell("mode-refusal", "accepted", () => ask("POST", `/devices/${device.name}/accept`)));
    accept.dataset.keep = `${device.name} in order`;
    told.append(accept);
  }
  return [told];
}

function draw(device) {
  const { link } = device;
  const made = make("section", `device${link.up ? "" : link.since === null ? " never" : " away"}`);
  made.setAttribute("aria-label", device.name);
  made.dataset.name = device.name;
  made.id = `device-${device.name}`;
  const head = make("div", "head");
  head.append(make("h3", "", device.name), make("span", `state ${link.up ? "up" : "down"}`, WORDS[link.state]));
  if (device.trust === "none") head.append(make("span", "untrusted", "not authenticated"));
  if (link.since !== null) head.append(make("span", "quiet", `for ${since(seen.wall - link.since)}`));
  const counters = list(COUNTERS.map(([name, words]) => [words, link.counters[name], TELLING.has(name) && link.counters[name] > 0]));
  made.append(head, ...replaced(device), ...missing(device), ...disabled(device), ...faults(device), list(about(device)), ...zones(device), opening(`${device.name} counters`, "Counters of its link", counters), ...tools(device));
  return made;
}

// ---- the rest

function drawMode() {
  const words = seen.test_mode ? (seen.between_rounds ? "Test mode on: no round starts, devices may be tested" : "Test mode on: the gate is shut and the round waits. Devices may be tested between two rounds: end test mode and play the round to its end") : "Test mode off: table in play";
  if (at("mode").textContent !== words) at("mode").textContent = words;
  at("mode-switch").textContent = seen.test_mode ? "End test mode" : "Begin test mode";
  at("mode-switch").setAttribute("aria-pressed", String(seen.test_mode));
}

function drawTest() {
  const test = seen.test;
  at("test-section").hidden = !test;
  if (!test) return;
  at("test-section").className = test.passed ? "passed" : "";
  const what = test.lamp ? `lamp ${test.lamp}` : test.test === "listen" ? (test.expect ? `waits for ${test.expect.replaceAll("_", " ")}` : "waits for anything") : test.test;
  const how = test.over ? `over: ${test.over_words}` : `${Math.ceil(test.seconds_left)} s left`;
  const result = test.passed === null ? "" : test.passed ? " It came." : test.over ? " It did not come." : "";
  at("test-what").textContent = `${test.device}: ${what}, ${how}.${result}`;
  at("test-seen").replaceChildren(
    ...test.seen.map((one) => make("li", "", [timeWithOffset(one.wall), one.event.replaceAll("_", " "), one.place, ...Object.entries(one.said).filter(([name]) => name !== "seat").map(([name, value]) => `${name} ${value}`), one.read === null ? null : one.read ? "card read" : "card not read"].filter(Boolean).join(" "))),
  );
  at("test-end").hidden = test.over !== null;
}

function drawBoard() {
  const { board, record, drop_box: box } = seen;
  const low = board.under_voltage;
  fill(at("board"), [
    ["Processor", degrees(board.celsius) || "Not reported", board.celsius > 80],
    ["Supply", !low ? "Not reported" : low.now ? "too low now" : low.before ? "has been too low since its start" : "well", low && (low.now || low.before)],
    ["Runs", since(board.up_seconds)],
    ["Disk", board.disk_free_bytes === null ? "cannot be asked" : `${bytes(board.disk_free_bytes)} free of ${bytes(board.disk_bytes)}`, board.disk_free_bytes === null || board.disk_free_bytes < 1e9],
    ["Loop lag", `${decimal(board.loop_lag_ms)} ms, worst ${decimal(board.worst_loop_lag_ms)} ms in a minute`, board.worst_loop_lag_ms > 250],
    ["Clock set", board.clock_steps ? `${board.clock_steps} times, last by ${decimal(board.last_clock_step)} s` : "never since the start"],
    ["Drop box", box && `${box.present ? "there" : "missing"}, ${box.locked ? "locked" : "not locked"}`, box && !(box.present && box.locked)],
  ]);
  at("board-troubles").replaceChildren(...board.troubles.map((trouble) => make("li", "bad", `${trouble.words}. ${trouble.remedy}`)));
  fill(at("record"), [
    ["State", record.error || (record.state === "running" ? "kept" : record.state), record.state !== "running"],
    ["Size", bytes(record.bytes)],
    ["Entries", `${record.entries}, ${record.not_yet_on_disk} not yet on the disk`, !record.accepting],
    ["Last commit", `${decimal(record.last_commit_ms, 2)} ms, longest ${decimal(record.longest_commit_ms, 2)} ms`],
  ]);
  const { program } = seen;
  fill(at("program"), [
    ["Version", program ? `feltd ${program.version}` : "the table does not say"],
    ["Manifest", program && (program.package ? program.package.manifest : "none: it was not installed from its package"), program && !program.package],
    ["Signature", program?.package && (SIGNATURE[program.package.signature] || program.package.signature), program?.package?.signature === "false"],
    ["Signed by", program?.package?.key],
  ]);
}

function drawAll() {
  if (pressing(at("devices"))) {
    setTimeout(drawAll, GATHER);
    return;
  }
  const held = document.activeElement;
  const keep = held && (held.dataset.keep || held.id);
  const choosing = held && held.tagName === "SELECT" ? held.closest(".device") : null;
  drawMode();
  drawTest();
  drawBoard();
  const drawn = new Map([...at("devices").children].map((one) => [one.dataset.name, one]));
  if (drawn.size !== seen.devices.length) at("devices").replaceChildren(...seen.devices.map(draw));
  else for (const device of seen.devices) {
    const old = drawn.get(device.name);
    if (old === choosing) continue; // an open list must not close under somebody's finger
    const made = draw(device);
    if (!old.isEqualNode(made)) old.replaceWith(made);
  }
  if (keep && !document.contains(held)) (document.querySelector(`[data-keep="${CSS.escape(keep)}"]`) || at(keep))?.focus();
}

// ---- an update of the board

async function askUpdate(event) {
  event.preventDefault();
  const wanted = { update: at("update-version").value.trim(), reason: at("update-reason").value.trim() };
  await sendFrom(at("update-dialog"), [at("update-do")], () => ask("POST", "/together", wanted), not("asked"), (words) => (at("update-refusal").textContent = words));
}

function openUpdate() {
  wantedFor(at("update-dialog"));
  at("update-form").reset();
  at("update-refusal").textContent = "";
  at("update-dialog").showModal();
}

// ---- all of it

let asking = false;
let again = false;

async function look(byItself = false) {
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  try {
    do {
      again = false;
      seen = await ask("GET", "/devices", undefined, byItself);
      drawAll();
    } while (again);
  } finally {
    asking = false;
  }
}

// Each state that comes is a hint that something has changed here too.
let due = null;

function changed(state) {
  drawTogether(state.steps).then(stepsChanged);
  due ??= setTimeout(() => {
    due = null;
    look(true).catch(() => null);
  }, GATHER);
}

function lost() {
  clearTimeout(due);
  due = null;
}

if (await begin()) {
  at("mode-switch").addEventListener("click", () => tell("mode-refusal", "switched", () => ask("POST", "/test-mode", { on: !seen.test_mode })));
  at("test-end").addEventListener("click", () => tell("mode-refusal", "ended", () => ask("DELETE", `/devices/${seen.test.device}/test`)));
  beginTogether();
  at("update-allow").addEventListener("click", openUpdate);
  at("update-form").addEventListener("submit", askUpdate);
  at("update-leave").addEventListener("click", () => at("update-dialog").close());
  beginKeys(() => look().catch(() => null));
  await tell("mode-refusal", "loaded", () => look());
  at(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView(); // an alarm led here before its device was drawn
  follow({ t: 0 }, changed, lost);
}
