// A Pico on a desk, emulated by rp2040js: `node pico_board.mjs RP2040JS IMAGE FOLDER PIPE`. The image lies in its flash, FOLDER/settings.bin where
// the maker puts it, and FOLDER/fram outlives a loss of power. The wire is standard input and output. No reader chip is on its bus. Where
// there is a file FOLDER/tca9548a, a TCA9548A is on I2C 1, with no chip behind any channel; its RESET is line 8.
//
// Lines of the pipe: `low LINE`, `high LINE` move an input; `look LINE FILE` writes the line's level into FOLDER/FILE. The pulses that a servo's line
// has carried are in FOLDER/pulses, a line each: microseconds since power-up, and how long it was.
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";

const [emulator, image, folder, pipe] = process.argv.slice(2);
const { Simulator } = await import(path.join(emulator, "dist/esm/index.js"));
const simulator = new Simulator();
const board = simulator.rp2040;
const silent = () => {};
board.logger = { debug: silent, info: silent, warn: silent, error: silent };

function ended(why) {
    fs.writeSync(2, `${why} at ${board.core.PC.toString(16)}, called from ${board.core.LR.toString(16)}\n`);
    process.exit(1);
}

// ---- The boot ROM: what the SDK asks of it, each as a breakpoint whose work is done here, and a return.
const FUNCTIONS = {
    // as the table has them, by two letters
    P3: (word) => word.toString(2).replaceAll("0", "").length,
    R3: (word) => parseInt(word.toString(2).padStart(32, "0").split("").reverse().join(""), 2),
    L3: (word) => Math.clz32(word),
    T3: (word) => (word === 0 ? 32 : 31 - Math.clz32(word & -word)),
    MS: fill,
    S4: fill,
    MC: copy,
    C4: copy,
};
const NAMES = Object.keys(FUNCTIONS);
const TABLE = 0x1c;
const CODE = 0x100;
const LOOKUP = NAMES.length;
const BREAK = 0xbe00;
const RETURN = 0x4770;

function fill(to, byte, count) {
    for (let i = 0; i < count; i++) board.writeUint8(to + i, byte & 0xff);
    return to;
}

function copy(to, from, count) {
    for (let i = 0; i < count; i++) board.writeUint8(to + i, board.readUint8(from + i));
    return to;
}

function letters(name) {
    return name.charCodeAt(0) | (name.charCodeAt(1) << 8);
}

function lookUp(table, code) {
    const found = table === TABLE ? NAMES.findIndex((name) => letters(name) === code) : -1;
    return found < 0 ? 0 : CODE + 4 * found + 1;
}

const rom = new DataView(board.bootrom.buffer);
rom.setUint32(0, 0x20042000, true);
rom.setUint32(4, CODE + 1, true);
rom.setUint32(0x10, 0x0301754d, true); // "Mu", and its version
rom.setUint16(0x14, TABLE, true);
rom.setUint16(0x18, CODE + 4 * LOOKUP + 1, true);
for (let i = 0; i <= LOOKUP; i++) {
    rom.setUint16(CODE + 4 * i, BREAK | i, true);
    rom.setUint16(CODE + 4 * i + 2, RETURN, true);
}
board.onBreak = (number) => {
    const registers = board.core.registers;
    if (board.core.PC >= CODE + 4 * (LOOKUP + 1)) ended("it has stopped");
    const work = number === LOOKUP ? lookUp : FUNCTIONS[NAMES[number]];
    registers[0] = work(registers[0], registers[1], registers[2]);
};

// ---- What rp2040js has not: the processor's memory protection, and the ring oscillator's bit.
const protection = new Map([[0xd90, 0x800]]);
const isProtection = (at) => at >= 0xd90 && at <= 0xda0;
const { readUint32, writeUint32 } = board.ppb;
board.ppb.readUint32 = (at) => (isProtection(at) ? (protection.get(at) ?? 0) : readUint32.call(board.ppb, at));
board.ppb.writeUint32 = (at, word) => {
    if (!isProtection(at)) writeUint32.call(board.ppb, at, word);
    else if (at !== 0xd90) protection.set(at, word);
};
board.peripherals[0x40060].readUint32 = () => (Math.random() < 0.5 ? 0 : 1);
board.peripherals[0x40058].onWatchdogTrigger = () => ended("the watchdog has bitten");

// ---- FRAM MB85RC256V on I2C 0
const framFile = fs.openSync(path.join(folder, "fram"), fs.constants.O_RDWR | fs.constants.O_CREAT);
const fram = new Uint8Array(32768);
fs.readSync(framFile, fram, 0, fram.length, 0);
const i2c = board.i2c[0];
let cell = 0;
let written = 0;
i2c.onStart = () => i2c.completeStart();
i2c.onStop = () => i2c.completeStop();
i2c.onConnect = (address, mode) => {
    if (mode === 0) written = 0;
    i2c.completeConnect(address === 0x50);
};
i2c.onWriteByte = (byte) => {
    if (written < 2) {
        cell = ((cell << 8) | byte) & 0x7fff;
    } else {
        fram[cell] = byte;
        fs.writeSync(framFile, fram, cell, 1, cell);
        cell = (cell + 1) & 0x7fff;
    }
    written++;
    i2c.completeWrite(true);
};
i2c.onReadByte = () => {
    i2c.completeRead(fram[cell]);
    cell = (cell + 1) & 0x7fff;
};

// ---- TCA9548A on I2C 1: one register, no chip behind any channel
const multiplexer = fs.existsSync(path.join(folder, "tca9548a"));
const behind = board.i2c[1];
let channels = 0;
behind.onStart = () => behind.completeStart();
behind.onStop = () => behind.completeStop();
behind.onConnect = (address) => behind.completeConnect(multiplexer && address === 0x70);
behind.onWriteByte = (byte) => {
    channels = byte;
    behind.completeWrite(true);
};
behind.onReadByte = () => behind.completeRead(channels);
board.gpio[8].addListener((state) => {
    if (state === 0) channels = 0;
});

board.spi[0].onTransmit = () => board.spi[0].completeTransmit(0xff);

// ---- The wire, at its pace: the UART holds 32 bytes.
const BYTE = 1e10 / 115200; // nanoseconds
const coming = [];
let comes = false;
const next = simulator.clock.createAlarm(() => {
    comes = coming.length > 0;
    if (!comes) return;
    board.uart[0].feedByte(coming.shift());
    next.schedule(BYTE);
});
process.stdin.on("data", (bytes) => {
    coming.push(...bytes);
    if (!comes) next.schedule(BYTE);
    comes = true;
});
board.uart[0].onByte = (byte) => fs.writeSync(1, Uint8Array.of(byte));

// ---- Fingers. What is pulled up is high until it is pressed; the beam of a shoe (line 6) is seen: low.
for (const line of [8, 9, 15]) board.gpio[line].setInputValue(true);
board.gpio[6].setInputValue(false);
const pulses = fs.openSync(path.join(folder, "pulses"), "w");
let rose = 0;
board.gpio[21].addListener((state) => {
    const now = simulator.clock.nanos / 1000;
    if (state === 1) rose = now;
    else if (state === 0 && rose > 0) fs.writeSync(pulses, `${Math.round(now)} ${Math.round(now - rose)}\n`);
});
readline.createInterface({ input: fs.createReadStream(pipe) }).on("line", (said) => {
    const [order, line, file] = said.split(" ");
    if (order !== "look") board.gpio[line].setInputValue(order === "high");
    else fs.writeFileSync(path.join(folder, file), String(board.gpio[line].value));
});

// ---- Power
board.flash.fill(0xff);
board.flash.set(fs.readFileSync(image));
board.flash.set(fs.readFileSync(path.join(folder, "settings.bin")), 0x1fe000);
board.core.reset();
board.core.PC = 0x10000000; // where the boot ROM goes: the first 256 bytes, which make the flash quick
simulator.execute();
