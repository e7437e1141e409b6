// What is done about one entry beside its seat: chips that it buys, who does not come, who plays it on, who is back, its prize.

import { seatField, placeRead } from "./desk-seats.js";
import { anotherField, cardRead } from "./desk-steps.js";
import { chips, money, plainMoney, toCents } from "./floor-words.js";
import { may } from "./shell.js";

// Adds these steps by `step(words, asked, className)`, which opens a form about the entry.
export function entrySteps(desk, one, step) {
  buying(desk, one, step);
  people(desk, one, step);
  if (one.standing === "between" || (one.standing === "waiting" && one.played !== null)) step("Stayed away…", { ev: "entry.stayed_away", about: `${one.name}, entry ${one.entry}: does not come to the next session, and is out` });
  if (may("tournament")) prizes(desk, one, step);
  if (may("tournament")) refunds(one, step);
}

// What the form says of what is bought: its price and chips, how long, how often this entry has.
function about(one, terms, times) {
  const most = terms.most === null ? "" : ` of ${terms.most}`;
  return `${one.name}, entry ${one.entry}: ${chips(terms.chips)} chips for ${money(terms.price)}, through level ${terms.until_level}; has had ${times}${most}`;
}

const paidField = (terms) => ({ name: "paid", words: "Paid", value: plainMoney(terms.price), read: toCents });

function buying(desk, one, step) {
  const { rebuy, add_on: addOn } = desk.terms;
  const stake = { name: "stake", words: "Chips that the player has now (0: the last ones have just gone)", kind: "number", value: one.just_out ? "0" : "" };
  const open = (terms, times) => terms && desk.late.level <= terms.until_level && (terms.most === null || times < terms.most);
  if ((one.standing === "in_play" || one.just_out) && open(rebuy, one.rebuys)) {
    step("Rebuy…", { ev: "rebuy", about: about(one, rebuy, one.rebuys), fields: [paidField(rebuy), stake], why: "bought at the counter" }, one.just_out ? "main" : undefined);
  }
  if (one.standing === "in_play" && open(addOn, one.add_ons)) {
    step("Add-on…", { ev: "add_on", about: about(one, addOn, one.add_ons), fields: [paidField(addOn)], why: "bought at the counter" });
  }
  if (!may("tournament")) return;
  const back = `${one.name}, entry ${one.entry}: taken for the wrong entry, or by mistake. If nobody has bought it, the chips come off the table and the money goes back.`;
  const to = { name: "to", words: "Entry that bought it in truth (empty: nobody)", kind: "number", optional: true, read: (text) => (text.trim() ? Number(text) : null) };
  if (one.rebuys) step("Rebuy taken back…", { ev: "rebuy.taken_back", about: back, fields: [to] });
  if (one.add_ons) step("Add-on taken back…", { ev: "add_on.taken_back", about: back, fields: [to] });
}

const missedRead = (text) => text.split("\n").map((line) => line.trim().split(/\s+/).map(Number)).filter((numbers) => numbers.length > 1);

function people(desk, one, step) {
  const { no_show: forfeits, absent_until: absentUntil, substitute } = desk.rules;
  if (one.standing === "in_play") {
    const away = one.carries !== null && one.carries.absent;
    step(away ? "Is back at the seat" : "Away from the seat", { ev: "absence", fixed: { entry: one.entry, absent: !away }, why: "seen at the table" });
    if (absentUntil !== null && desk.late.level > absentUntil && may("tournament")) {
      step("Never came…", { ev: "entry.never_came", about: `${one.name}, entry ${one.entry}: has not come by the end of level ${absentUntil}; the rest of the stake leaves play`, fields: [{ name: "chips", words: "Chips left of the stake, as counted", kind: "number" }], why: "not there when the level was over" });
    }
    if (forfeits) step("Did not come…", { ev: "entry.no_show", why: "not there when play began" });
  }
  if (may("tournament") && (one.standing === "waiting" || one.standing === "in_play") && (substitute === "in_play" || (substitute === "waiting" && one.standing === "waiting"))) {
    step("Substitute…", { ev: "entry.substituted", fields: [{ name: "person", words: "Card number of who plays on", read: cardRead }, { name: "name", words: "Name of who plays on" }, anotherField()] });
  }
  if (may("tournament") && one.standing !== "withdrawn") {
    step("Correct…", { ev: "entry.corrected", about: `${one.name}, entry ${one.entry}: card number or name was typed wrongly; who plays stays the same`, fields: [{ name: "person", words: "Card number", value: one.person, read: cardRead }, { name: "name", words: "Name of the person", value: one.name }] });
  }
  if (may("tournament") && (one.standing === "out" || (forfeits && one.standing === "withdrawn"))) {
    const seats = { ...seatField("Seat", [["", "where it sat"]]), optional: true };
    if (one.never_came) step("Came after all…", { ev: "entry.came", about: `${one.name}, entry ${one.entry}: gets the stake back less the blinds and antes missed since then`, fields: [{ name: "missed", words: "Missed, a line a level: level, big blinds, hands (as 5 2 16)", kind: "lines", optional: true, read: missedRead }, seats], make: ({ missed, place }) => ({ missed, ...(place ? placeRead(place) : {}) }) }, "main");
    step("Back in play…", { ev: "entry.back", about: `${one.name}, entry ${one.entry}: was told to be out or not to have come, and plays`, fields: [seats], make: (values) => (values.place ? placeRead(values.place) : {}) });
  }
}

function prizes(desk, one, step) {
  if (one.prize_paid !== null) step("Prize is back…", { ev: "prize.taken_back", about: `${one.name}, entry ${one.entry}: ${money(one.prize_paid)} were paid, and are back at the cage` });
  else if (one.prize > 0) step("Pay the prize…", { ev: "prize.paid", fields: [{ name: "cents", words: "Paid out", value: plainMoney(one.prize), read: toCents }], why: "paid at the cage" });
}

// What goes back for the entry: withdrawn, bought by mistake, or all that was paid where the tournament is called off.
function refunds(one, step) {
  if (one.refund > 0) step("Give the fee back…", { ev: "refund.paid", fields: [{ name: "cents", words: "Given back", value: plainMoney(one.refund), read: toCents }], why: "given back at the cage" });
  if (one.refund_paid > 0) step("Fee is back…", { ev: "refund.taken_back", about: `${one.name}, entry ${one.entry}: ${money(one.refund_paid)} were given back, and are at the cage again: all or a part`, fields: [{ name: "cents", words: "At the cage again", value: plainMoney(one.refund_paid), read: toCents }] });
}
