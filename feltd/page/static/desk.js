// The director's desk: a tournament as the floor has it, followed, and its parts, one in sight at a time.

import { ask } from "./api.js";
import { beginCounter, drawCounter } from "./desk-counter.js";
import { decide, drawClock, drawPlaces, settle } from "./desk-play.js";
import { drawSessions } from "./desk-sessions.js";
import { inOrder } from "./late.js";
import { beginSteps, follow, readSecrets } from "./desk-steps.js";
import { drawDraw, drawHands, drawTables, movesInWords } from "./desk-tables.js";
import { anteOf, blindsOf, chips, clauseOf, hms, leftNow, PHASES, stepInWords } from "./floor-words.js";
import { at, begin, button, make, may, moment, putRows, redraw, watchSession } from "./shell.js";

const EVERY = 1500;
const PANELS = [
  ["counter", "Counter"],
  ["draw", "Draw"],
  ["tables", "Tables"],
  ["hands", "Hand for hand"],
  ["clock", "Clock"],
  ["places", "Places and prizes"],
  ["log", "Log"],
];
const id = at("desk").dataset.tournament;

let desk = null;
let shown = "counter";
let heard = performance.now();

const asks = inOrder();

const after = () => (performance.now() - heard) / 1000;

// ---- the parts

function show(name) {
  for (const [one] of PANELS) {
    at(`panel-${one}`).hidden = one !== name;
    at(`to-${one}`).setAttribute("aria-pressed", String(one === name));
  }
  shown = name;
  if (desk !== null) drawShown();
  history.replaceState(null, "", `#${name}`);
  if (name === "counter") at("find").focus();
}

function drawPanels() {
  at("desk-panels").replaceChildren(
    ...PANELS.map(([name, words], place) => {
      const made = button(`${words} (${place + 1})`, () => show(name));
      made.id = `to-${name}`;
      return made;
    })
  );
  const named = PANELS.find(([name]) => location.hash === `#${name}`);
  show(named ? named[0] : "counter");
}

addEventListener("keydown", (event) => {
  const place = Number(event.key);
  if (!event.altKey || event.ctrlKey || event.metaKey || !(place >= 1 && place <= PANELS.length)) return;
  event.preventDefault();
  show(PANELS[place - 1][0]);
});

// ---- what is in sight always

const standing = (name) => desk.entries.filter((one) => one.standing === name).length;

function drawStrip() {
  at("desk-title").textContent = desk.title;
  const waits = standing("waiting");
  const counts = [
    desk.cancelled ? "called off" : PHASES[desk.phase],
    `${desk.entries.length - standing("withdrawn")} entries`,
    `${standing("in_play")} in play`,
    waits ? `${waits} without a seat` : "",
    desk.late.closed ? "late entry is over" : "",
    desk.chips.average === null ? "" : `average stack ${chips(desk.chips.average)}`,
  ];
  at("desk-counts").textContent = counts.filter(Boolean).join(" · ");
  drawTime();
}

function drawTime() {
  const clock = desk && desk.clock;
  if (!clock) {
    at("desk-clock").textContent = "";
    return;
  }
  const left = leftNow(clock, after());
  const level = `Level ${clock.level.level}: ${blindsOf(clock.level)}, ${anteOf(clock.level)}`;
  const time = left === null ? "" : clock.in_break ? `break, ${hms(left)} left` : `${hms(left)} left`;
  at("desk-clock").textContent = [level, time, clock.running ? "" : "clock paused"].filter(Boolean).join(" · ");
}

const namesOf = (entries) => desk.entries.filter((one) => entries.includes(one.entry)).map((one) => `${one.name} (${one.entry})`);

// What somebody must do, at each part of the desk.
function drawDue() {
  const due = [];
  const move = movesInWords(desk);
  if (move.due) due.push(["tables", "Move", move.words]);
  for (const table of desk.tables) if (table.waits !== null) due.push(["tables", "Table waits", `${table.table} deals no hand until somebody sits at seat ${table.waits}`]);
  if (desk.breaking.next && desk.phase === "playing") due.push(["tables", "May break", `${desk.breaking.next} is the next table to break, and the others have room`]);
  const missing = desk.places.unreported;
  for (const one of desk.places.to_decide) if (!missing.some((other) => other.order === one.order)) due.push(["places", "Decide", `who is placed higher: ${namesOf(one.entries).join(", ")}`, () => decide(desk, one)]);
  for (const one of desk.reports) due.push(["tables", "Look at it", `${one.table}: ${one.words}${clauseOf(one.clause)}`, () => settle(one)]);
  for (const one of missing) due.push([one.hand === null ? "places" : "hands", "Report missing", `${one.tables.join(", ")}: places stay provisional until it has told the hand, or somebody says it`]);
  if (desk.money.due !== null) due.push(["places", "Set the payouts", `nobody has a prize before: ${desk.money.due}`]);
  if (desk.chips.race && desk.chips.race.waits_for.length) due.push(["clock", "Chip race", `waits for ${desk.chips.race.waits_for.join(", ")}`]);
  if (desk.draw.seed !== null && standing("waiting")) due.push(["counter", "Without a seat", `${standing("waiting")} wait for a seat`]);
  redraw(
    at("due"),
    due.map(([panel, what, words, act]) => {
      const item = make("li");
      item.dataset.item = `${panel} ${what} ${words}`;
      const tools = make("p", "tools");
      if (act && may("tournament")) tools.append(act());
      tools.append(button("Show", () => show(panel)));
      item.append(make("span", "where", what), make("b", "", words), tools);
      return item;
    })
  );
}

function drawLog() {
  putRows(
    at("log"),
    [...desk.log].reverse().map((one) => {
      const row = make("tr");
      const about = [stepInWords(one.ev), one.entry ? `entry ${one.entry}` : "", one.table || ""].filter(Boolean).join(", ");
      row.append(make("td", "n", one.seq), make("td", "n", moment(desk.wall + one.t)), make("td", "long", about), make("td", "", one.who ?? "a table"), make("td", "long", one.why ?? ""));
      return row;
    })
  );
}

function draw() {
  follow(desk);
  drawStrip();
  drawDue();
  drawCounter(desk); // it knows the free seats, for the other parts too
  drawShown();
}

// What nobody sees is drawn once somebody does: five hundred tables tell of hands all the time.
function drawShown() {
  if (shown === "draw") drawDraw(desk);
  else if (shown === "tables") drawTables(desk);
  else if (shown === "hands") drawHands(desk);
  else if (shown === "clock") {
    drawClock(desk, after);
    drawSessions(desk);
  } else if (shown === "places") drawPlaces(desk);
  else if (shown === "log") drawLog();
}

// ---- following

function live(words, lost) {
  document.body.classList.toggle("lost", lost);
  at("live").textContent = words;
}

export async function look(byItself = false) {
  const counts = asks();
  try {
    const told = await ask("GET", `/tournaments/${id}${desk ? `?after=${desk.seq}` : ""}`, undefined, byItself);
    if (!counts()) return desk; // the desk's own look, behind a step, came before it
    heard = performance.now();
    const anew = told.changed || desk === null;
    desk = anew ? told : { ...desk, t: told.t, clock: told.clock };
    live("live", false);
    if (anew) draw();
    else if (shown === "clock") drawClock(desk, after);
    drawTime();
  } catch (fault) {
    if (!counts()) return desk;
    live(fault.status === 404 ? fault.message : "no connection", true);
    if (fault.status === 401) watchSession();
  }
  return desk;
}

async function goOn() {
  await look(true);
  setTimeout(goOn, EVERY);
}

beginCounter(); // somebody may type before the tournament is here
if (await begin()) {
  drawPanels();
  beginSteps(null, look);
  await look();
  if (desk !== null) {
    at("secrets-box").hidden = desk.draws !== null || !may("tournament");
    at("secrets-file").addEventListener("change", async (event) => {
      const text = await event.target.files[0].text();
      at("secrets-told").textContent = readSecrets(text) ? "The file was read: each draw takes its next secret from it." : "This file has no secret that the tournament is committed to.";
      draw();
    });
  }
  setTimeout(goOn, EVERY);
  setInterval(drawTime, 500);
}
