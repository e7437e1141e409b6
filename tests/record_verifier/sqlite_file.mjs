// Reads the tables and indexes of an SQLite 3 file at rest (https://www.sqlite.org/fileformat2.html), nothing of feltd's.
// Integers are BigInt, floats Number, text {text: Buffer}, blobs Buffer, null null.

import { existsSync, readFileSync, statSync } from "node:fs";

export class Damaged extends Error {}

const TABLE_LEAF = 0x0d, TABLE_INTERIOR = 0x05, INDEX_LEAF = 0x0a, INDEX_INTERIOR = 0x02;
const DEEPEST = 40;

export class Database {
  constructor(path) {
    const log = path + "-wal";
    if (existsSync(log) && statSync(log).size > 0) {
      throw new Damaged(`${log} is not empty: make a copy at rest, sqlite3 '${path}' "VACUUM INTO 'copy.journal'"`);
    }
    this.file = readFileSync(path);
    if (this.file.length < 512 || this.file.toString("latin1", 0, 16) !== "SQLite format 3\0") {
      throw new Damaged(`${path} is no database of SQLite 3`);
    }
    const size = this.file.readUInt16BE(16);
    this.pageSize = size === 1 ? 65536 : size;
    this.usable = this.pageSize - this.file[20];
    this.userVersion = this.file.readUInt32BE(60);
    this.applicationId = this.file.readUInt32BE(68);
    if (this.file.readUInt32BE(56) !== 1) throw new Damaged(`${path} does not have its text in UTF-8`);
  }

  page(number) {
    const at = (number - 1) * this.pageSize;
    if (number < 1 || at + this.pageSize > this.file.length) throw new Damaged(`there is no page ${number}`);
    return this.file.subarray(at, at + this.pageSize);
  }

  // The rows of a table with a rowid: [rowid, values]. A page that is damaged is told to `lost`, and left out.
  *rows(root, lost) {
    for (const [page, cell] of this.#cells(root, TABLE_INTERIOR, TABLE_LEAF, lost)) {
      try {
        const [length, afterLength] = varint(page, cell);
        const [rowid, start] = varint(page, afterLength);
        yield [rowid, this.#record(this.#payload(page, start, Number(length), this.usable - 35))];
      } catch (fault) {
        told(lost, fault);
      }
    }
  }

  // The entries of an index, or the rows of a table without rowid.
  *entries(root, lost) {
    const most = Math.floor(((this.usable - 12) * 64) / 255) - 23;
    for (const [page, cell] of this.#cells(root, INDEX_INTERIOR, INDEX_LEAF, lost)) {
      try {
        const [length, start] = varint(page, cell);
        yield this.#record(this.#payload(page, start, Number(length), most));
      } catch (fault) {
        told(lost, fault);
      }
    }
  }

  *#cells(number, interior, leaf, lost, depth = 0) {
    let page, kind, header, count;
    try {
      page = this.page(number);
      header = number === 1 ? 100 : 0;
      kind = page[header];
      count = page.readUInt16BE(header + 3);
      if ((kind !== interior && kind !== leaf) || depth > DEEPEST) throw new Damaged(`page ${number} is no page of this tree`);
    } catch (fault) {
      told(lost, fault);
      return;
    }
    const pointers = header + (kind === leaf ? 8 : 12);
    for (let n = 0; n < count; n++) {
      const cell = page.readUInt16BE(pointers + 2 * n);
      if (kind === leaf) {
        yield [page, cell];
        continue;
      }
      yield* this.#cells(page.readUInt32BE(cell), interior, leaf, lost, depth + 1);
      if (interior === INDEX_INTERIOR) yield [page, cell + 4]; // of an index, what divides two pages is an entry too
    }
    if (kind === interior) yield* this.#cells(page.readUInt32BE(header + 8), interior, leaf, lost, depth + 1);
  }

  #payload(page, start, length, most) {
    if (length <= most) return page.subarray(start, start + length);
    const least = Math.floor(((this.usable - 12) * 32) / 255) - 23;
    const fits = least + ((length - least) % (this.usable - 4));
    const here = fits <= most ? fits : least;
    const parts = [page.subarray(start, start + here)];
    let missing = length - here, next = page.readUInt32BE(start + here);
    while (missing > 0) {
      const overflow = this.page(next);
      const taken = Math.min(missing, this.usable - 4);
      parts.push(overflow.subarray(4, 4 + taken));
      missing -= taken;
      next = overflow.readUInt32BE(0);
    }
    return Buffer.concat(parts);
  }

  #record(payload) {
    let [headerLength, at] = varint(payload, 0);
    let body = Number(headerLength);
    const values = [];
    while (at < Number(headerLength)) {
      const [type, after] = varint(payload, at);
      const [value, length] = stored(payload, body, Number(type));
      values.push(value);
      at = after;
      body += length;
    }
    if (body > payload.length) throw new Damaged("a row is shorter than it says");
    return values;
  }
}

function told(lost, fault) {
  if (!(fault instanceof Damaged || fault instanceof RangeError)) throw fault;
  lost(fault.message);
}

function varint(bytes, at) {
  let value = 0n;
  for (let n = 0; n < 8; n++) {
    const byte = bytes.readUInt8(at + n);
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte < 0x80) return [value, at + n + 1];
  }
  return [BigInt.asIntN(64, (value << 8n) | BigInt(bytes.readUInt8(at + 8))), at + 9];
}

const INTEGERS = { 1: 1, 2: 2, 3: 3, 4: 4, 5: 6 };

function stored(bytes, at, type) {
  if (type === 0) return [null, 0];
  if (type in INTEGERS) return [BigInt(bytes.readIntBE(at, INTEGERS[type])), INTEGERS[type]];
  if (type === 6) return [bytes.readBigInt64BE(at), 8];
  if (type === 7) return [bytes.readDoubleBE(at), 8];
  if (type === 8 || type === 9) return [BigInt(type - 8), 0];
  if (type < 12) throw new Damaged(`there is no type ${type}`);
  const length = Math.floor((type - 12) / 2);
  const content = bytes.subarray(at, at + length);
  return [type % 2 === 0 ? content : { text: content }, length];
}
