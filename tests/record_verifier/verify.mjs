#!/usr/bin/env node
// A verifier of feltd's records, written from docs/record.md alone, with nothing but what Node 18 brings.
//
//     node verify.mjs RECORD [--key FILE] [--first-key KEY] [--witness FILE] [--floor-key KEY]
//
// Prints a line for each finding, `entry N: KIND: words`, and last `sound` or `not sound`. Exit codes as `feltd journal
// verify`: 0 sound, 1 not, 2 it cannot be judged. It does not read jumps, and opens no card.

import { createHash, createHmac, createPublicKey, verify as verifySignature } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { Damaged, Database } from "./sqlite_file.mjs";

const TABLES = new Map([
  ["table meta", "CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID"],
  ["table entries", "CREATE TABLE entries (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, t REAL, host REAL NOT NULL, wall REAL NOT NULL, round INTEGER, rulebook BLOB, answers INTEGER, device TEXT, boot_id BLOB, device_seq INTEGER, body TEXT NOT NULL, key INTEGER, sealed BLOB, chain BLOB NOT NULL)"],
  ["index host_entries", "CREATE INDEX host_entries ON entries (name, round, key) WHERE kind = 'host'"],
  ["index rulings", "CREATE INDEX rulings ON entries (name) WHERE name = 'ruling'"],
  ["table head", "CREATE TABLE head (seq INTEGER NOT NULL, chain BLOB NOT NULL, mac BLOB NOT NULL)"],
]);
const FIELDS = ["seq", "kind", "name", "t", "host", "wall", "round", "rulebook", "answers", "device", "boot_id", "device_seq", "body", "key", "sealed"];
const REAL = new Set(["t", "host", "wall"]);
const META = new Set(["journal_id", "created", "format", "first_key"]);
const INDEXES = [
  ["host_entries", (entry) => textOf(entry.kind) === "host", ["name", "round", "key", "seq"]],
  ["rulings", (entry) => textOf(entry.name) === "ruling", ["name", "seq"]],
];
const CLOCK_TOLERANCE = 60;
const UNSIGNED = 60, UNSIGNED_ROUND = 10, UNSIGNED_ROUNDS = 2, UNSIGNED_STARTS = 1, UNSIGNED_ENTRIES = 16384, CLOCK_SET = 60;
// Phases between two games.
const BETWEEN_GAMES = new Set(["closed", "checking_cards", "waiting", "cutting", "complete", "misdeal", "void"]);
const ENTRIES_OF_AN_INDEX = 20;
const MOST_UNREADABLE = 1000n;

class Unjudged extends Error {}

const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
const hmac = (key, ...parts) => createHmac("sha256", key).update(Buffer.concat(parts)).digest();
const ascii = (text) => Buffer.from(text, "latin1");
const isText = (value) => value !== null && typeof value === "object" && "text" in value;
const textOf = (value) => (isText(value) ? value.text.toString("utf8") : null);

function eight(number) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(number));
  return bytes;
}

// ---- an entry

function encoding(entry) {
  return Buffer.concat(FIELDS.map((name) => encoded(entry[name])));
}

function encoded(value) {
  if (value === null) return ascii("N");
  if (typeof value === "bigint") return Buffer.concat([ascii("I"), eight(value)]);
  const bytes = Buffer.alloc(8);
  if (typeof value === "number") {
    bytes.writeDoubleBE(value);
    return Buffer.concat([ascii("F"), bytes]);
  }
  const content = isText(value) ? value.text : value;
  bytes.writeUInt32BE(content.length);
  return Buffer.concat([ascii(isText(value) ? "T" : "B"), bytes.subarray(0, 4), content]);
}

function entryOf(rowid, values) {
  const entry = { chain: values[FIELDS.length] ?? null };
  FIELDS.forEach((name, n) => {
    const value = values[n] ?? null;
    entry[name] = typeof value === "bigint" && REAL.has(name) ? Number(value) : value;
  });
  entry.seq = rowid;
  return entry;
}

function isWellFormed({ kind, name, body, host, wall }) {
  return isText(kind) && isText(name) && isText(body) && Number.isFinite(host) && Number.isFinite(wall);
}

// ---- a body

const DEEPEST = 100, LONGEST_NUMBER = 100;
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[[{]|[\]}]|-?[0-9][0-9.eE+-]*/g;

// What a body says. Throws where it is none: no object of JSON, or more than a body may have.
function bodyOf(entry) {
  const text = utf8(entry.body.text);
  const body = JSON.parse(text);
  if (body === null || typeof body !== "object" || Array.isArray(body)) throw new SyntaxError("no object");
  let depth = 0;
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    else if (token[0] !== '"' && token.length > LONGEST_NUMBER) throw new SyntaxError("a number that is too long");
    if (depth > DEEPEST) throw new SyntaxError("nested too deeply");
  }
  return body;
}

function utf8(bytes) {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

function throws(work) {
  try {
    work();
  } catch {
    return true;
  }
  return false;
}

// ---- signed heads

const HEAD_LINE = /^(0|[1-9][0-9]*) (0|[1-9][0-9]*) ([0-9a-f]{64}) ([0-9a-f]{64}) ([0-9a-f]{128})$/;
const FIRST_LINE = /^feltd-heads 1 ([0-9a-f]{32}) ([0-9a-f]{64})$/;
const SPKI = Buffer.from("302a300506032b6570032100", "hex"); // what stands before a bare Ed25519 key

function readHeads(path) {
  const lines = readFileSync(path, "latin1").replace(/\0+$/, "").split("\n").slice(0, -1);
  if (lines.length > 0 && lines[lines.length - 1].includes("\0")) lines.pop();
  const first = FIRST_LINE.exec(lines[0] ?? "");
  if (first === null) return null;
  const found = { journalId: Buffer.from(first[1], "hex"), firstKey: first[2], heads: [], broken: null };
  let key = Buffer.from(first[2], "hex");
  for (let n = 1; n < lines.length; n++) {
    const head = signedHead(lines[n], key, found.journalId);
    const last = found.heads[found.heads.length - 1];
    if (head === null || (last !== undefined && head.seq < last.seq)) {
      found.broken = n + 1;
      break;
    }
    found.heads.push(head);
    key = head.nextKey;
  }
  return found;
}

function signedHead(line, key, journalId) {
  const fields = HEAD_LINE.exec(line);
  if (fields === null) return null;
  const [seq, time] = [BigInt(fields[1]), BigInt(fields[2])];
  if (seq >= 2n ** 63n || time >= 2n ** 63n) return null;
  const [chain, nextKey, signature] = fields.slice(3).map((digits) => Buffer.from(digits, "hex"));
  const message = Buffer.concat([ascii("feltd head 1\0"), journalId, eight(seq), chain, eight(time), nextKey]);
  return isSigned(message, key, signature) ? { seq, chain, nextKey } : null;
}

class HeadCheck {
  constructor(heads, name) {
    this.heads = [...heads];
    this.name = name;
    this.sound = 0n;
    this.rewritten = false;
  }

  at(seq, chain, found) {
    while (this.heads.length > 0 && this.heads[0].seq < seq) this.heads.shift();
    while (this.heads.length > 0 && this.heads[0].seq === seq) {
      const head = this.heads.shift();
      if (head.chain.equals(chain)) {
        this.sound = seq;
        this.rewritten = false;
      } else if (!this.rewritten) {
        this.rewritten = true;
        found("rewritten", this.sound + 1n, `entries up to ${seq} are not as ${this.name} has them`);
      }
    }
  }

  after(last, found) {
    const newest = this.heads[this.heads.length - 1];
    if (newest !== undefined && newest.seq > last) {
      found("cut off", last + 1n, `${this.name} knows entries up to ${newest.seq}`);
    }
  }
}

// What lies behind the last head beside the record.
class UnsignedEnd {
  constructor(heads) {
    this.first = (heads[heads.length - 1]?.seq ?? 0n) + 1n;
    this.tooLong = false;
    [this.entries, this.starts, this.begun, this.ends, this.endAt] = [0, 0, 0, 0, 0n];
    [this.signedNumber, this.numbers, this.endedNumbers] = [encoded(0n).toString("hex"), new Set(), new Set()];
    [this.clocks, this.ended] = [null, null];
    [this.begunNumbers, this.playedNumbers, this.atRest] = [new Set(), new Set(), false];
  }

  // Whether a phase that the table tells brings a game into play: the phase before it was one between two games.
  comesIntoPlay(entry) {
    const phase = saidBy(entry, "phase");
    if (typeof phase !== "string" || phase === "halted") return false;
    const rested = this.atRest;
    this.atRest = BETWEEN_GAMES.has(phase);
    return rested && !this.atRest;
  }

  observe(entry) {
    if (!isWellFormed(entry)) return;
    const number = encoded(entry.round).toString("hex");
    const begins = textOf(entry.kind) === "host" && textOf(entry.name) === "round.begin";
    if (entry.seq < this.first) {
      if (entry.round !== null) this.signedNumber = number;
      if (begins) this.begunNumbers = new Set([number]);
      if (this.comesIntoPlay(entry)) this.playedNumbers = new Set([number]);
      return;
    }
    const prompt = saidBy(entry, "prompt");
    if (this.atRest && prompt !== null && typeof prompt === "object" && Object.hasOwn(prompt, "turn")) this.tooLong = true;
    if (begins && this.begunNumbers.has(number)) this.tooLong = true;
    if (begins) this.begunNumbers.add(number);
    if (this.comesIntoPlay(entry)) {
      if (this.playedNumbers.has(number)) this.tooLong = true;
      this.playedNumbers.add(number);
    }
    this.entries += 1;
    if (noteOf(entry, "feltd starts") !== null) {
      this.starts += 1;
      [this.clocks, this.ended] = [null, null];
    }
    const { host, wall } = entry;
    this.clocks ??= { began: host, host, apart: wall - host, untold: 0 };
    if (host < this.clocks.host || host - this.clocks.began > UNSIGNED) this.tooLong = true;
    this.clocks.host = host;
    if (Math.abs(wall - host - this.clocks.apart) > CLOCK_SET) {
      this.clocks.apart = wall - host;
      this.clocks.untold += 1;
    }
    if (noteOf(entry, "the wall clock was set") !== null) this.clocks.untold = 0;
    if (entry.round !== null && number !== this.signedNumber) this.numbers.add(number);
    if (begins) this.begun += 1;
    if (textOf(entry.kind) === "host" && textOf(entry.name) === "round.end") {
      if (entry.seq !== this.endAt + 1n) this.ends += 1;
      this.endedNumbers.add(number);
      this.endAt = entry.seq;
      this.ended ??= host;
      if (host - this.ended > UNSIGNED_ROUND) this.tooLong = true;
    }
    if (Math.max(this.ends, this.endedNumbers.size) > UNSIGNED_ROUNDS) this.tooLong = true;
    if (Math.max(this.begun, this.numbers.size) > UNSIGNED_ROUNDS + 1 || this.starts > UNSIGNED_STARTS) this.tooLong = true;
    if (this.entries > UNSIGNED_ENTRIES || this.clocks.untold > 1) this.tooLong = true;
  }
}

// What an answer of this name says under it, or null for any other entry.
function saidBy(entry, name) {
  if (textOf(entry.kind) !== "output" || textOf(entry.name) !== name) return null;
  try {
    return bodyOf(entry)[name] ?? null;
  } catch {
    return null;
  }
}

// The body of a note with these words, or null.
function noteOf(entry, words) {
  if (textOf(entry.kind) !== "host" || textOf(entry.name) !== "note") return null;
  try {
    const body = bodyOf(entry);
    return body.note === words ? body : null;
  } catch {
    return null; // no note at all
  }
}

// What the file says of itself outside the chain, held against what starts found.
class Made {
  constructor(record, found) {
    const [created, format] = [record.meta.get("created"), record.meta.get("format")];
    this.created = Number.isFinite(created) ? created : null;
    this.format = typeof format === "bigint" ? Number(format) : null;
    this.edition = record.database.userVersion;
    this.told = false;
    if (this.created === null || this.format === null) found("structure", 0n, "meta lacks when, or in which edition, it was made");
    else if (this.edition < this.format) found("structure", 0n, "the file's edition is less than the one it was made in");
  }

  observe(seq, start, found) {
    const said = start.record;
    if (this.told || said === null || typeof said !== "object" || Array.isArray(said)) return;
    const older = typeof said.edition === "number" && this.edition < said.edition;
    if ((said.created ?? null) === this.created && (said.format ?? null) === this.format && !older) return;
    this.told = true;
    found("structure", seq, "this start found another making of the file");
  }
}

// ---- the floor's receipts

class Receipts {
  constructor(journalId, entries, keys) {
    [this.journalId, this.entries, this.keys] = [journalId, entries, keys];
    this.sound = 0n;
    this.rewritten = false;
  }

  observe(entry, found) {
    if (textOf(entry.kind) !== "host" || textOf(entry.name) !== "note") return;
    let body = null;
    try {
      body = bodyOf(entry);
    } catch {
      return; // no receipt that says so
    }
    if (body.note !== "the floor has the record") return;
    const receipt = receiptOf(body, textOf(entry.body));
    if (receipt === null) return found("receipt", entry.seq, "it cannot be understood");
    if (this.keys.length > 0 && !this.keys.includes(body.key)) return found("receipt", entry.seq, "it is by another key");
    const message = Buffer.concat([ascii("feltd receipt 1\0"), this.journalId, eight(receipt.seq), receipt.chain, eight(receipt.at)]);
    if (receipt.seq >= entry.seq || !isSigned(message, receipt.key, receipt.signature)) {
      return found("receipt", entry.seq, "it is not as it was signed");
    }
    const had = this.entries.find((one) => one.seq === receipt.seq);
    if (had === undefined) return;
    if (Buffer.isBuffer(had.chain) && had.chain.equals(receipt.chain)) {
      [this.sound, this.rewritten] = [receipt.seq, false];
    } else if (!this.rewritten) {
      this.rewritten = true;
      found("receipt", this.sound + 1n, `entries up to ${receipt.seq} are not as the floor had them`);
    }
  }
}

function receiptOf(body, text) {
  // integers beyond 2⁵³ would be rounded: they are read from the text
  const [seq, at] = [wholeNumber(text, "entry"), wholeNumber(text, "at")];
  if (seq === null || at === null || seq < 1n || at < 0n || seq >= 2n ** 63n || at >= 2n ** 63n) return null;
  try {
    return { seq, at, chain: hex(body.chain, 32), key: hex(body.key, 32), signature: hex(body.signature, 64) };
  } catch {
    return null;
  }
}

const PARTS = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:,]|[^\s"[\]{}:,]+/g;

// What an object of JSON itself names so, where it is a whole number; of a name that is there twice the last.
function wholeNumber(text, name) {
  let depth = 0, before = "", key = "", value = "";
  for (const [part] of text.matchAll(PARTS)) {
    if (depth === 1 && part === ":") key = JSON.parse(before);
    else if (depth === 1 && before === ":" && key === name) value = part;
    if (part === "{" || part === "[") depth += 1;
    else if (part === "}" || part === "]") depth -= 1;
    before = part;
  }
  return /^-?(0|[1-9][0-9]*)$/.test(value) ? BigInt(value) : null;
}

function isSigned(message, key, signature) {
  try {
    return verifySignature(null, message, createPublicKey({ key: Buffer.concat([SPKI, key]), format: "der", type: "spki" }), signature);
  } catch {
    return false; // no key at all
  }
}

// ---- published keys

class Keys {
  constructor() {
    this.announced = new Map();
    this.sealed = new Map();
  }

  observe(entry, found) {
    if (Buffer.isBuffer(entry.sealed) && entry.key !== null) {
      if (!this.sealed.has(entry.key)) this.sealed.set(entry.key, new Map());
      this.sealed.get(entry.key).set(String(entry.seq), entry.sealed.subarray(0, 32).toString("hex"));
    }
    if (textOf(entry.kind) !== "host") return;
    const name = textOf(entry.name);
    try {
      if (name === "round.key") this.announced.set(entry.seq, announcedBy(bodyOf(entry)));
      if (name === "round.end" && entry.key !== null) {
        const announced = this.announced.get(entry.key), sealed = this.sealed.get(entry.key) ?? new Map();
        this.announced.delete(entry.key);
        this.sealed.delete(entry.key);
        const fault = keyFault(bodyOf(entry), announced, sealed);
        if (fault !== null) found("key", entry.seq, fault);
      }
    } catch {
      found("key", entry.seq, "cannot be understood");
    }
  }
}

function announcedBy(body) {
  if (typeof body.commitment !== "string") throw new TypeError("no commitment");
  return { commitment: body.commitment, bound: "public" in body, to: body.public == null ? null : fingerprint(hex(body.public)) };
}

function keyFault(body, announced, sealed) {
  if ("key" in body) {
    const of = sha256(ascii("feltd round key 1\0"), hex(body.key, 32)).toString("hex");
    return announced !== undefined && announced.commitment === of ? null : "publishes another key than was announced";
  }
  const keys = Object.entries(body.keys).map(([seq, key]) => [seq, hex(key, 32)]);
  if (body.box !== null) hex(body.box);
  if (announced !== undefined && announced.bound && (body.to ?? null) !== announced.to) {
    return "seals its round to another key than was announced";
  }
  for (const [seq, key] of keys) {
    const written = sealed.get(seq);
    if (written === undefined) return `publishes a key of entry ${seq}, in which nothing was sealed`;
    if (written !== sha256(ascii("feltd entry key 2\0"), key).toString("hex")) return `publishes another key of entry ${seq}`;
  }
  return null;
}

function hex(text, length) {
  if (typeof text !== "string" || !/^([0-9a-f]{2})*$/.test(text)) throw new TypeError("not hexadecimal");
  const bytes = Buffer.from(text, "hex");
  if (length !== undefined && bytes.length !== length) throw new TypeError("not as long as it must be");
  return bytes;
}

function fingerprint(key) {
  return sha256(ascii("feltd unseal key 1\0"), key).toString("hex").slice(0, 32).match(/.{4}/g).join("-");
}

// ---- the file

function read(path) {
  const database = new Database(path);
  if (database.applicationId !== 0x46454c54) throw new Unjudged(`${path} is no record of feltd`);
  if (database.userVersion < 1 || database.userVersion > 2) throw new Unjudged(`${path} is of edition ${database.userVersion}, which this program does not know`);
  const schema = [...database.rows(1, lost)].map(([, [type, name, , root, sql]]) => ({
    what: `${textOf(type)} ${textOf(name)}`, root: Number(root), sql: textOf(sql),
  }));
  const root = (what) => schema.find((one) => one.what === what)?.root ?? 0;
  const meta = new Map([...database.entries(root("table meta"), lost)].map(([name, value]) => [textOf(name), value]));
  const damage = [];
  const entries = [...database.rows(root("table entries"), (why) => damage.push(why))].map((row) => entryOf(...row));
  const heads = [...database.rows(root("table head"), lost)].map(([, values]) => values);
  return { database, schema, root, meta, entries, heads, damage };

  function lost(why) {
    throw new Unjudged(`${path}: ${why}`);
  }
}

function checkStructure(record, found) {
  for (const { what, sql } of record.schema) {
    if (!TABLES.has(what)) found("structure", 0n, `there is a ${what}`);
    else if (TABLES.get(what) !== sql) found("structure", 0n, `the ${what} is another`);
  }
  for (const what of TABLES.keys()) {
    if (record.root(what) === 0) found("structure", 0n, `the ${what} is missing`);
  }
  for (const name of record.meta.keys()) if (!META.has(name)) found("structure", 0n, `meta has a row ${name}`);
  for (const why of record.damage) found("structure", 0n, `the file is damaged: ${why}`);
  const early = record.entries.filter((entry) => entry.seq < 1n).slice(0, ENTRIES_OF_AN_INDEX);
  for (const { seq } of early) found("structure", seq, "it stands before the first entry");
  if (record.damage.length > 0) return; // the table to hold the indexes against is not whole
  for (const [index, holds, columns] of INDEXES) {
    if (record.root(`index ${index}`) !== 0) checkIndex(record, index, holds, columns, found);
  }
}

function checkIndex(record, index, holds, columns, found) {
  const asKey = (values) => Buffer.concat(values.map(encoded)).toString("hex");
  const damaged = (why) => found("structure", 0n, `the index ${index} is damaged: ${why}`);
  const listed = new Map(), due = new Map();
  for (const values of record.database.entries(record.root(`index ${index}`), damaged)) {
    listed.set(asKey(values), values[values.length - 1]);
  }
  for (const entry of record.entries) if (holds(entry)) due.set(asKey(columns.map((name) => entry[name])), entry.seq);
  const wrong = new Set();
  for (const [key, seq] of listed) if (!due.has(key)) wrong.add(seq);
  for (const [key, seq] of due) if (!listed.has(key)) wrong.add(seq);
  const sorted = [...wrong].sort((one, other) => (one < other ? -1 : 1));
  for (const seq of sorted.slice(0, ENTRIES_OF_AN_INDEX)) found("structure", seq, `the index ${index} has it otherwise`);
}

// ---- the walk

function judge(path, options) {
  const record = read(path);
  const findings = [], told = [];
  const found = (kind, seq, text) => findings.push({ kind, seq, text });
  const journalId = record.meta.get("journal_id");
  if (!Buffer.isBuffer(journalId) || journalId.length !== 16) throw new Unjudged(`${path} has no journal_id`);

  checkStructure(record, found);
  const { checks, unsigned, firstKey } = takeHeads(path, record, journalId, options, found);
  const head = headOf(record, found);

  const made = new Made(record, found);
  const keys = new Keys(), receipts = new Receipts(journalId, record.entries, options.floorKeys ?? []);
  let last = 0n, chain = sha256(ascii("feltd journal 1\0"), journalId), clock = null, beyond = null, namedTold = false;
  for (const entry of record.entries) {
    if (entry.seq < 1n) continue; // told by the structure
    if (head !== null && entry.seq > head.seq) {
      beyond = entry.seq;
      break;
    }
    const stored = Buffer.isBuffer(entry.chain) ? entry.chain : Buffer.alloc(0);
    const follows = entry.seq === last + 1n;
    if (!follows && record.damage.length > 0) unreadable(last + 1n, entry.seq - 1n, found);
    else if (!follows) found("missing", last + 1n, `the entries up to ${entry.seq - 1n}`);
    if (throws(() => FIELDS.map((name) => entry[name]).filter(isText).forEach(({ text }) => utf8(text)))) {
      found("unreadable", entry.seq, "a text of it is not UTF-8");
      [last, chain] = [entry.seq, null];
      continue;
    }
    if (follows && chain !== null && !stored.equals(sha256(chain, sha256(encoding(entry))))) found("changed", entry.seq, "is not as it was written");
    else if (!isWellFormed(entry)) found("changed", entry.seq, "a field is of another type than it has");
    else if (throws(() => bodyOf(entry))) found("changed", entry.seq, "its body is none");
    keys.observe(entry, found);
    for (const check of checks) check.at(entry.seq, stored, found);
    receipts.observe(entry, found);
    unsigned?.observe(entry);
    const start = noteOf(entry, "feltd starts");
    if (start !== null) made.observe(entry.seq, start, found);
    const named = namedTold || typeof start?.first_key !== "string" ? null : start.first_key;
    if (named !== null && named !== firstKey && firstKey !== undefined) {
      namedTold = true;
      found("signature", entry.seq, `this start named another first key, ${named}`);
    }
    if (isWellFormed(entry)) {
      const now = { wall: entry.wall, started: entry.wall - entry.host };
      const back = clock === null ? 0 : Math.max(clock.wall - now.wall, clock.started - now.started);
      if (back > CLOCK_TOLERANCE) told.push({ kind: "clock", seq: entry.seq, text: `went back by ${Math.round(back)} s` });
      clock = now;
    }
    [last, chain] = [entry.seq, stored];
  }
  if (record.damage.length > 0 && head !== null && last < head.seq) {
    unreadable(last + 1n, head.seq, found);
    [last, chain] = [head.seq, null];
  }
  if (checkEnd(head, last, chain, beyond, found)) for (const check of checks) check.after(last, found);
  if (unsigned?.tooLong) found("signature", unsigned.first, "no signed head covers the entries from here on");
  if (head !== null && options.key !== undefined && head.seq > 0n) {
    const mac = hmac(hmac(options.key, ascii("feltd journal head 1")), journalId, eight(head.seq), head.chain);
    if (!mac.equals(head.mac)) found("head", head.seq, "the holder of this key did not write it");
  }
  return { findings, told };
}

// In a damaged file a gap is what its lost pages had.
function unreadable(first, last, found) {
  for (let seq = first; seq <= last && seq < first + MOST_UNREADABLE; seq++) found("unreadable", seq, "the file does not give it");
}

function headOf(record, found) {
  const [values] = record.heads;
  if (record.heads.length === 1 && typeof values[0] === "bigint" && Buffer.isBuffer(values[1]) && Buffer.isBuffer(values[2])) {
    return { seq: values[0], chain: values[1], mac: values[2] };
  }
  found("head", 0n, "there is not one head");
  return null;
}

function checkEnd(head, last, chain, beyond, found) {
  if (head === null) return true;
  if (last < head.seq) found("cut off", last + 1n, `entries up to ${head.seq} are missing`);
  else if (chain !== null && !chain.equals(head.chain)) found("head", head.seq, "it is not that of its entry");
  if (beyond !== null) found("appended", beyond, "it stands behind the head");
  return beyond === null && last >= head.seq;
}

function takeHeads(path, record, journalId, options, found) {
  const known = record.meta.get("first_key");
  const knownKey = Buffer.isBuffer(known) ? known.toString("hex") : undefined;
  if (known !== undefined && knownKey?.length !== 64) found("structure", 0n, "what meta has as first_key is no key");
  const beside = path + ".heads";
  const sources = [];
  let unsigned = null, firstKey; // no first key: what starts named is not looked at
  if (existsSync(beside)) {
    const heads = readHeads(beside);
    if (heads === null) found("signature", 0n, "the file of signed heads does not begin as one");
    else sources.push([heads, "the signed heads' file"]);
    if (heads !== null) firstKey = heads.firstKey;
    if (heads !== null && heads.broken === null && heads.journalId.equals(journalId)) unsigned = new UnsignedEnd(heads.heads);
  } else if (knownKey !== undefined || options.firstKey !== undefined) {
    found("signature", 0n, "the file of signed heads is not there");
  } else {
    firstKey = null;
  }
  if (options.witness !== undefined) {
    const heads = readHeads(options.witness);
    if (heads === null) throw new Unjudged(`${options.witness} is no file of signed heads`);
    sources.push([heads, "the witness"]);
  }
  const checks = [];
  for (const [heads, name] of sources) {
    const ofIt = heads.journalId.equals(journalId);
    if (!ofIt) found("signature", 0n, `${name}: of another record`);
    for (const key of ofIt ? [options.firstKey, knownKey] : []) {
      if (key !== undefined && key !== heads.firstKey) found("signature", 1n, `${name}: begins with another key`);
    }
    if (ofIt && options.firstKey === heads.firstKey && heads.heads.length === 0 && heads.broken === null) {
      found("signature", 1n, `${name}: no head is signed by the first key that was kept`);
    }
    if (heads.broken !== null) {
      const after = heads.heads[heads.heads.length - 1]?.seq ?? 0n;
      found("signature", after + 1n, `${name}: line ${heads.broken} is not as it was signed`);
    }
    if (ofIt) checks.push(new HeadCheck(heads.heads, name));
  }
  return { checks, unsigned, firstKey };
}

// ---- the command

// A name in a forged record must not write on the auditor's screen.
function printable(text) {
  return text.replace(/[\p{C}\u2028\u2029]/gu, (letter) => letter.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""));
}

function optionsOf(words) {
  const options = {};
  while (words.length > 0) {
    const [name, value] = words.splice(0, 2);
    if (value === undefined) throw new Unjudged(`${name} wants a value`);
    if (name === "--key") options.key = keyOf(value);
    else if (name === "--first-key") options.firstKey = value.trim().toLowerCase();
    else if (name === "--floor-key") (options.floorKeys ??= []).push(value.trim().toLowerCase());
    else if (name === "--witness") options.witness = value;
    else throw new Unjudged(`there is no option ${name}`);
  }
  return options;
}

function keyOf(file) {
  const content = readFileSync(file);
  const key = content.length === 32 ? content : Buffer.from(content.toString("latin1").trim(), "hex");
  if (key.length !== 32) throw new Unjudged(`${file} is no key`);
  return key;
}

try {
  const [path, ...words] = process.argv.slice(2);
  if (path === undefined) throw new Unjudged("node verify.mjs RECORD [--key FILE] [--first-key KEY] [--witness FILE] [--floor-key KEY]");
  const { findings, told } = judge(path, optionsOf(words));
  for (const { kind, seq, text } of [...findings, ...told]) console.log(`entry ${seq}: ${kind}: ${printable(text)}`);
  console.log(findings.length === 0 ? "sound" : "not sound");
  process.exitCode = findings.length === 0 ? 0 : 1;
} catch (fault) {
  if (!(fault instanceof Unjudged || fault instanceof Damaged || fault.code === "ENOENT")) throw fault;
  console.error(fault.message);
  process.exitCode = 2;
}
