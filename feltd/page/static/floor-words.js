// A tournament over many tables in words: its closed sets, money, chips, and its clock between two answers.

export const PHASES = { made: "announced", entries: "entries are taken", playing: "plays", hand_for_hand: "plays hand for hand", suspended: "suspended", over: "is over", unread: "cannot be read" };
export const STANDINGS = { waiting: "waits for a seat", in_play: "in play", between: "between two sessions", out: "out", withdrawn: "withdrawn" };
export const AT = { plays: "plays the hand", frozen: "all-in, cards stay down", turns: "turns its all-in", done: "has finished" };

// A clause behind what it rules; what is feltd's own has none.
export const clauseOf = (one) => (one && one !== "ours" ? ` (${one})` : "");
// What went wrong, with the clause where the refusal has one and its words do not say it.
export const refusalInWords = (fault) => `${fault.message}${fault.message.includes(fault.clause) ? "" : clauseOf(fault.clause)}`;

// Cents as people write them, of the house's currency where the page knows it, and back.
const { currency } = document.documentElement.dataset;
const IN = currency ? { style: "currency", currency, currencyDisplay: "narrowSymbol" } : {};
export const money = (cents) => (cents / 100).toLocaleString("en", { ...IN, minimumFractionDigits: cents % 100 ? 2 : 0, maximumFractionDigits: 2 });
export const plainMoney = (cents) => (cents % 100 ? (cents / 100).toFixed(2) : `${cents / 100}`);
export const toCents = (text) => Math.round(Number(text.trim().replace(",", ".")) * 100);
export const chips = (number) => number.toLocaleString("en");

export const blindsOf = (level) => (level.blinds.length ? level.blinds.map(chips).join(" / ") : "no blinds");
export function anteOf(level) {
  if (!level.ante) return "no ante";
  return level.big_blind_ante ? `ante ${chips(level.ante)}, posted by the big blind` : `ante ${chips(level.ante)}`;
}

export function hms(seconds) {
  const whole = Math.max(0, Math.ceil(seconds - 0.001));
  const two = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const rest = `${two(Math.floor((whole % 3600) / 60))}:${two(whole % 60)}`;
  return hours ? `${hours}:${rest}` : rest;
}

// Seconds left of the level, or of the break, so many seconds after the floor told them.
export function leftNow(clock, after) {
  if (clock.in_break) return clock.break_left === null ? null : Math.max(0, clock.break_left - after);
  return Math.max(0, clock.left - (clock.counts ? after : 0));
}

export const placeOf = (one) => (one.first === one.last ? `${one.first}` : `${one.first}–${one.last}`);

const STEPS = {
  "tournament.made": "tournament made",
  "tournament.open": "announced",
  entry: "entry taken",
  "entry.handed_on": "entry handed on",
  "entry.withdrawn": "entry withdrawn",
  "entry.corrected": "entry corrected",
  "entry.given_up": "chips given up",
  "entry.out": "player out",
  "entry.no_show": "did not come",
  "entry.substituted": "substitute plays on",
  "entry.back": "back in play",
  "entry.never_came": "never came",
  "entry.came": "came after all",
  rebuy: "rebuy",
  add_on: "add-on",
  "rebuy.taken_back": "rebuy taken back",
  "add_on.taken_back": "add-on taken back",
  "late.closed": "late entry closed",
  "late.taken_back": "late entry open again",
  "level.began": "level began",
  "draw.committed": "draw committed to",
  "draw.objected": "draw objected to",
  "draw.annulled": "draw annulled",
  associates: "kept apart",
  "seats.drawn": "seats drawn",
  "seat.late": "seat drawn late",
  "seat.given": "seat given",
  moved: "player moved",
  balanced: "balanced by the book",
  "breaking.order": "breaking order announced",
  "table.breaks": "table broken by a draw",
  "table.broken": "table broken",
  "table.taken_back": "table stands ready again",
  redrawn: "seats drawn anew",
  "hand.began": "hand began",
  "hand.over": "hand over",
  "hand_for_hand.began": "hand for hand began",
  "hand_for_hand.ended": "hand for hand ended",
  "hand.released": "hand released",
  "all_in.held": "all-in held",
  "all_ins.turned": "all-ins turned",
  "table.away": "table not reached",
  "table.back": "table reached again",
  "table.excused": "hand goes on without a table",
  "place.decided": "places decided",
  "seat.unclaimed": "a seat is out that no entry has",
  "report.settled": "a table's report settled",
  schedule: "schedule set",
  "clock.put": "clock set",
  "clock.runs": "clock runs",
  "clock.stands": "clock paused",
  action_clock: "action clock",
  "payouts.set": "payouts set",
  chop: "chop",
  "chop.taken_back": "chop taken back",
  "prize.paid": "prize paid",
  "prize.taken_back": "prize is back",
  "refund.paid": "fee given back",
  "refund.taken_back": "fee is at the cage again",
  "tournament.cancelled": "called off",
  "tournament.taken_back": "is not called off, and goes on",
  penalty: "penalty",
  "penalty.left": "rest of a penalty",
  time_banks: "time banks",
  absence: "absence",
  "person.left": "player had to leave",
  "chips.issued": "chips issued",
  "chips.taken": "chips taken",
  "chips.counted": "chips counted",
  "stacks.counted": "stacks counted",
  "race.ordered": "chip race ordered",
  "race.taken_back": "chip race taken back",
  "race.told": "chip race told",
  "chips.returned": "chips returned",
  "stack.bagged": "stack bagged",
  suspended: "suspended for the night",
  resumed: "goes on",
  "session.began": "session begins",
  "session.ended": "session is over",
  "session.taken_back": "session goes on",
  "entry.stayed_away": "stayed away",
};
export const stepInWords = (ev) => STEPS[ev] || ev;
