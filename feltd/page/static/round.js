// A round of the record played again on the drawn table, step by step.

import { ask } from "./api.js";
import { fetchFile } from "./files.js";
import { drawTable } from "./felt.js";
import { drawMoney, faultInWords, faultsOf, markFaults } from "./replayed.js";
import { watchOver } from "./live.js";
import { at, begin, make, timeWithOffset } from "./shell.js";

const number = at("replay").dataset.round;
const CHUNK = 200;
let steps = [];
let current = 0;
let timer = null;

function show(index) {
  current = Math.max(0, Math.min(index, steps.length - 1));
  const step = steps[current];
  at("when").textContent = `${timeWithOffset(step.wall)}, step ${step.number} of ${steps.length}`;
  at("words").textContent = step.words;
  at("at").value = current + 1;
  at("at").setAttribute("aria-valuetext", `${step.number}: ${step.words}`);
  drawTable(at("table"), withBets(step.cards ? openCards(step) : structuredClone(step.view), step), step.amounts);
  markFaults(at("table"), step);
  drawMoney(step, steps[current - 1]);
  at("answers").replaceChildren(...step.answers.map((told) => make("li", told.ruling ? "waits" : "", told.words)));
  const items = at("steps").children;
  for (const item of items) item.removeAttribute("aria-current");
  items[current].setAttribute("aria-current", "step");
  bringIntoSight(items[current]);
}

// Within the list alone: the page must not move under somebody who presses a button or reads the table.
function bringIntoSight(item) {
  const list = at("steps");
  const above = item.getBoundingClientRect().top - list.getBoundingClientRect().top;
  if (above < 0) list.scrollTop += above;
  else if (above + item.offsetHeight > list.clientHeight) list.scrollTop += above + item.offsetHeight - list.clientHeight;
}

// The table with every card that this reader may see.
function openCards(step) {
  const view = structuredClone(step.view);
  for (const seat of view.seats) seat.tabled = (step.cards[`seat:${seat.seat}`] || []).filter(Boolean);
  if (view.dealer) view.dealer.tabled = (step.cards.dealer || []).filter(Boolean);
  view.board = view.board.map((card, index) => (card ? (step.cards[`board:${index + 1}`] || [card])[0] || card : card));
  return view;
}

// What lies in front of each player in place of the blinds alone.
function withBets(view, step) {
  if (step.chips.length) view.posts = Object.fromEntries(step.chips.filter((one) => one.bet).map((one) => [one.seat, one.bet]));
  return view;
}

// At the ruling that the address names, else at the first one of the round, else at its beginning.
function whereToBegin() {
  const id = Number((location.hash.match(/^#ruling-(\d+)$/) || [])[1]);
  const given = (step) => step.outputs.filter((output) => output.ruling).map((output) => output.ruling.id);
  const named = steps.findIndex((step) => given(step).includes(id));
  return Math.max(0, named >= 0 ? named : steps.findIndex((step) => given(step).length > 0));
}

function play(go) {
  clearInterval(timer);
  timer = go ? setInterval(() => (current + 1 < steps.length ? show(current + 1) : play(false)), 400) : null;
  at("play").setAttribute("aria-pressed", String(go));
  at("play").textContent = go ? "Stop" : "Play";
}

async function read() {
  for (;;) {
    const some = await ask("GET", `/rounds/${number}/steps?after=${steps.length}&most=${CHUNK}`);
    steps = steps.concat(some);
    if (some.length < CHUNK) return;
  }
}

function walk(index) {
  play(false);
  show(index);
}

for (const link of [at("export"), at("phh")]) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    fetchFile(link.href, at("told"));
  });
}

if (await begin()) {
  watchOver();
  try {
    await read();
    at("told").textContent = "";
    at("at").max = steps.length;
    at("steps").replaceChildren(
      ...steps.map((step, index) => {
        const item = make("li");
        const one = make("button", "plain", `${timeWithOffset(step.wall)} ${step.words}`);
        one.type = "button";
        one.addEventListener("click", () => walk(index));
        item.append(one);
        for (const ruling of faultsOf(step)) one.append(make("b", "fault-mark", `⚑ ${faultInWords(ruling)}`));
        if (step.outputs.some((output) => output.ruling)) item.className = "waits";
        return item;
      })
    );
    at("first").addEventListener("click", () => walk(0));
    at("back").addEventListener("click", () => walk(current - 1));
    at("on").addEventListener("click", () => walk(current + 1));
    at("end").addEventListener("click", () => walk(steps.length - 1));
    at("play").addEventListener("click", () => play(timer === null));
    at("at").addEventListener("input", (event) => walk(Number(event.target.value) - 1));
    show(whereToBegin());
  } catch (fault) {
    at("told").textContent = `Could not load: ${fault.message}.`;
  }
}
