// The tournament's figures in words, and its time between two states.

import { amount } from "./shell.js";

export function hms(seconds) {
  const whole = Math.max(0, Math.ceil(seconds - 0.001));
  const two = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const rest = `${two(Math.floor((whole % 3600) / 60))}:${two(whole % 60)}`;
  return hours ? `${hours}:${rest}` : rest;
}

// What is written in a field as h:mm:ss, mm:ss or minutes; NaN where it is none of these.
export function seconds(text) {
  const parts = text.trim().split(":");
  if (!parts.every((part) => /^\d{1,4}$/.test(part)) || parts.length > 3) return NaN;
  if (parts.length === 1) return Number(parts[0]) * 60;
  const numbers = parts.map(Number);
  if (numbers.slice(1).some((number) => number > 59)) return NaN;
  return numbers.reduce((sum, number) => sum * 60 + number, 0);
}

export function blinds(level, counted) {
  if (!level) return "–";
  return level.blinds.length ? level.blinds.map((blind) => amount(blind, counted)).join(" / ") : "no blinds";
}

export function ante(level, shown, counted) {
  if (!level || !level.ante) return "no ante";
  return `ante ${amount(level.ante, counted)}${shown.big_blind_ante ? ", posted by the big blind" : ""}`;
}

// Time as it is at table second t. The API counts in the same way.
export function timeAt(shown, t) {
  if (shown.until === null) {
    const counts = shown.running && !shown.hand_for_hand;
    const elapsed = shown.elapsed + (counts ? Math.max(0, t - shown.at) : 0);
    return { left: shown.left, elapsed, inBreak: shown.in_break, breakLeft: shown.break_left, nextBreak: shown.next_break && shown.next_break.in_seconds };
  }
  const inBreak = shown.in_break && (shown.break_until === null || t < shown.break_until);
  const left = Math.max(0, shown.until - Math.max(t, shown.break_until === null ? t : shown.break_until));
  const played = shown.left - left;
  return {
    left,
    elapsed: shown.elapsed + played,
    inBreak,
    breakLeft: inBreak && shown.break_until !== null ? shown.break_until - t : null,
    nextBreak: shown.next_break && Math.max(0, shown.next_break.in_seconds - played),
  };
}

export const place = (one) => (one.first === one.last ? `${one.first}` : `${one.first}–${one.last}`);

// What stands beside the clock, each as a line; the most urgent first.
export function notes(shown, time, counted) {
  const said = [];
  const raced = shown.race_offs.map((chip) => amount(chip, counted)).join(", ");
  if (shown.waits_for_go) said.push("Waiting for the director");
  if (shown.hand_for_hand) said.push("Hand for hand");
  if (shown.race) said.push(`Chip race: ${amount(shown.race.chip, counted)}${shown.race.due ? `, seat ${shown.race.due} is due a card` : ""}`);
  else if (raced) said.push(`Race off before the next deal: ${raced}`);
  if (shown.race_off_after) said.push(`Race off after this level: ${amount(shown.race_off_after, counted)}`);
  if (!time.inBreak && shown.next_break) {
    said.push(`Break after level ${shown.next_break.after_level}, in ${hms(time.nextBreak)} of play, for ${Math.round(shown.next_break.seconds / 60)} min`);
  }
  return said;
}
