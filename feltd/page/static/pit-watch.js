// All tables of the floor as they come, for every page of the pit: its band, and what waits anywhere, to be heard.

import { loseBandOfPit, showLevel } from "./band.js";
import { at, moment } from "./shell.js";
import { beginSound, sounds, tell } from "./sound.js";
import { keepLine, keepLineWhileSeen } from "./stream.js";

const tables = new Map(); // by name
let inOrder = []; // their names
let wrong = []; // with the floor itself
let wall = 0; // the floor's clock when it last spoke
let heard = performance.now();
let last = null;

export const byName = new Intl.Collator("en", { numeric: true }).compare;
export const tableNamed = (name) => tables.get(name);
export const tableCount = () => tables.size;

// The floor's clock.
export const now = () => wall + (performance.now() - heard) / 1000;

const own = (item, table, page = null) => ({ ...item, table, page, kind: item.cause });

// What waits anywhere, each with its table; what is wrong with the floor itself has none.
export function waiting() {
  const all = wrong.map((item) => own(item, ""));
  if (inOrder.length !== tables.size) inOrder = [...tables.keys()].sort(byName);
  for (const table of inOrder.map(tableNamed)) for (const item of table.items) all.push(own(item, table.name, table.page));
  return all;
}

export function take(news) {
  [wall, heard] = [news.wall, performance.now()];
  wrong = news.wrong;
  if (news.whole) {
    tables.clear();
    inOrder = [];
  }
  for (const table of news.tables) tables.set(table.name, table);
  showLevel(news.band);
}

function live() {
  last = new Date();
  document.body.classList.remove("lost");
  at("live").textContent = "live";
}

function lost() {
  document.body.classList.add("lost");
  loseBandOfPit();
  at("live").textContent = last ? `no connection: as it was at ${moment(last.getTime() / 1000)}` : "no connection";
}

// Follow them. `told(news, all)` for all news, with what waits anywhere.
export function followTables(told) {
  beginSound();
  tell(waiting());
  const heardOf = (news) => {
    live();
    take(news);
    const all = waiting();
    told(news, all);
    tell(all);
  };
  keepLine("tables", heardOf, lost);
}

// For pages that show something else: the band and the sound alone. Their own questions say whether the floor answers.
export function watchTables() {
  beginSound();
  const heardOf = (news) => (news.tables ? (take(news), tell(waiting())) : showLevel(news));
  keepLineWhileSeen({ name: "tables", path: "/band" }, heardOf, loseBandOfPit, sounds);
}
