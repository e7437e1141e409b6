// The dispute in a replay: what lay in front of whom, who was to act, and where the fault was.

import { dueSeats, place } from "./felt.js";
import { amount, at, make } from "./shell.js";
import { wordsFor } from "./vocabulary.js";

const SVG = "http://www.w3.org/2000/svg";

// The rulings that the table gave at this step.
export const faultsOf = (step) => step.outputs.filter((output) => output.ruling).map((output) => output.ruling);

export const faultInWords = (ruling) => `${wordsFor("irregularities", ruling.irregularity)}${ruling.seat ? `, seat ${ruling.seat}` : ""}`;

function shape(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// Where the flag of a ring covers no card of its seat. They lie towards the middle: at a long side the flag is beside its ring.
function flagOf(spot) {
  const beside = spot.y < 110 || spot.y > 440;
  return beside ? { x: spot.x + (spot.x < 500 ? 84 : -84), y: spot.y + 7 } : { x: spot.x, y: spot.y + (spot.y > 305 ? 58 : -42) };
}

// A flag and a ring at the seat of each fault; one that has no seat stands in the middle of the felt.
export function markFaults(svg, step) {
  for (const ruling of faultsOf(step)) {
    const spot = ruling.seat ? place(ruling.seat, 0) : { x: 500, y: 380 };
    svg.append(shape("circle", { cx: spot.x, cy: spot.y, r: 36, class: "fault-ring" }));
    svg.append(shape("text", { ...flagOf(spot), class: "fault-flag" }, "⚑ fault"));
  }
  if (step.pot) svg.append(shape("text", { x: 500, y: 245, class: "pot" }, `Pot ${amount(step.pot, step.amounts)}`));
}

function cell(name, words) {
  const made = make(name, "", words);
  if (name === "th") made.scope = "row";
  return made;
}

// `before`: the step before this one, which says who was to act when it happened.
export function drawMoney(step, before) {
  const due = before && before.view.to_act;
  const next = due || !before ? [] : [...dueSeats(before.view)];
  const pot = !step.chips.length ? "" : step.pot === null ? "Pot: not known." : `Pot: ${amount(step.pot, step.amounts)}.`;
  at("to-act").textContent = [due ? `Seat ${due} was to act.` : next.length ? `Next was seat ${next.join(", ")}.` : "", pot].join(" ").trim();
  at("money").hidden = !step.chips.length;
  const stacks = step.chips.some((one) => one.stack !== null);
  at("money-stack").hidden = !stacks;
  at("money-rows").replaceChildren(
    ...step.chips.map((one) => {
      const row = make("tr", one.seat === due ? "waits" : "");
      const state = one.folded ? "folded" : one.all_in ? "all in" : one.seat === due ? "was to act" : "";
      row.append(cell("th", one.seat), cell("td", amount(one.bet, step.amounts)), cell("td", amount(one.put_in, step.amounts)));
      if (stacks) row.append(cell("td", amount(one.stack, step.amounts)));
      row.append(cell("td", state));
      return row;
    })
  );
}
