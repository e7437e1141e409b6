// Sessions of a tournament: heats, flights, days. Which one is on, who goes on from the last, and the steps of both.

import { openStep } from "./desk-steps.js";
import { clauseOf } from "./floor-words.js";
import { at, button, may, redraw } from "./shell.js";

const numbers = (text) => (text.match(/\d+/g) || []).map(Number);
const names = (text) => text.split(/[\n,;]+/).map((one) => one.trim()).filter(Boolean);
const howMany = (text) => (text.trim() === "" ? undefined : Number(text));

function inWords(session) {
  const said = [];
  const { on, last } = session;
  if (on) said.push(`Session ${on.name} is on`);
  if (on && on.advance !== null) said.push(on.advance ? `${on.advance} go on from it` : "It is the last one");
  if (last) said.push(`${last.name} is over: ${last.advance.length} go on, ${last.catch_up.length} may catch up, ${last.out.length} are out`);
  if (session.next.length) said.push(`To play the next session: ${session.next.length}`);
  if (session.catch_up.length) said.push(`To play a catch-up session: ${session.catch_up.length}`);
  return said.join(". ");
}

function began(desk) {
  const clause = clauseOf(desk.session.clause);
  const fields = [
    { name: "session", words: "Name of the session" },
    { name: "entries", words: "Entries that play it, by their numbers; empty: all who wait or go on", kind: "lines", rows: 3, optional: true, read: numbers },
    { name: "tables", words: "Tables that it uses; empty: all", optional: true, read: names },
    { name: "advance", words: "How many go on from it; 0: it is the last one; empty: all who have chips then", optional: true, read: howMany },
    { name: "stacks", words: "Who goes on", kind: "select", options: [["carried", "takes the counted chips along"], ["anew", "begins anew with a full stack"]] },
    { name: "ties", words: "Equal counts", kind: "select", options: [["shared", "share their place"], ["drawn", "draw cards"]] },
    { name: "repechage", words: "Who does not go on may play a catch-up session", kind: "check" },
    { name: "catch_up", words: "This is a catch-up session", kind: "check" },
  ];
  return button("Begin a session…", () => openStep({ title: "Begin a session", ev: "session.began", about: `Its seats are drawn next, and its tables stand ready again${clause}`, fields }));
}

function ended() {
  const drawn = { name: "drawn", words: "Entries with equal counts that drew cards, the best first; empty: none", optional: true, read: numbers };
  return button("End the session…", () => openStep({ title: "End the session", ev: "session.ended", about: "Every stack is in its bag, counted by two people. The clock is paused, and all seats are free.", fields: [drawn], why: "the session is over" }), "main");
}

function takenBack(desk) {
  const about = `The session ${desk.session.last.name} is on again: everybody sits where they sat, and the stacks are in their bags${clauseOf(desk.session.clause)}`;
  return button("Take the session's end back…", () => openStep({ title: "Take the session's end back", ev: "session.taken_back", about }));
}

let shown = "";

export function drawSessions(desk) {
  const text = JSON.stringify([desk.session, desk.chips.bags, may("tournament")]);
  if (text === shown) return;
  shown = text;
  at("sessions").hidden = !desk.session;
  if (!desk.session) return;
  at("session-now").textContent = inWords(desk.session);
  redraw(at("session-tools"), may("tournament") ? [desk.session.on ? ended() : began(desk), ...(desk.session.last && !desk.session.on ? [takenBack(desk)] : [])] : []);
}
