// A virtual display (Xvfb), and pictures of it.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { ended, firstWords } from "./programs.mjs";

/** Two equal pictures with this time between them mean that drawing is finished. */
const STILL_MS = 50;
/** How many pictures to compare before one is taken anyway, if something moves all the time. */
const LOOKS = 20;
/** Positions in an X Window Dump (XWDFile.h), in big-endian words of four bytes. */
const XWD = {
  header: 0,
  width: 4,
  height: 5,
  lowestFirst: 7,
  bitsPerPixel: 11,
  bytesPerLine: 12,
  red: 14,
  green: 15,
  blue: 16,
  colours: 19,
};
/** The size of each colour in bytes, between header and pixels. */
const COLOUR_BYTES = 12;

// An X authority file with one cookie, valid for any display number that Xvfb chooses (family "wild").
function authority(file) {
  const field = (bytes) => Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
  const fields = [Buffer.alloc(0), Buffer.alloc(0), Buffer.from("MIT-MAGIC-COOKIE-1"), randomBytes(16)];
  writeFileSync(file, Buffer.concat([Buffer.from([255, 255]), ...fields.map(field)]), { mode: 0o600 });
}

/** A chunk of a PNG file (PNG specification, section 5.3). */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}

/** A PNG file from RGB rows, each with a filter byte of 0 (none). */
function png(width, height, rows) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8); // bits per sample, and colour without transparency
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  const pieces = [
    ["IHDR", header],
    ["IDAT", deflateSync(rows, { level: 3 })],
    ["IEND", Buffer.alloc(0)],
  ];
  return Buffer.concat([signature, ...pieces.map(([type, data]) => chunk(type, data))]);
}

/** The rows of an area of the display, for `png`. */
function rowsOf(dump, { x, y, width, height }) {
  const word = (index) => dump.readUInt32BE(4 * index);
  const bytes = word(XWD.bitsPerPixel) / 8;
  const masks = [XWD.red, XWD.green, XWD.blue].map(word);
  // Each colour must be one byte of the pixel. Otherwise the display isn't the requested one.
  const places = masks.map((mask) => [0xff, 0xff00, 0xff0000].indexOf(mask));
  if (bytes !== 4 || places.includes(-1)) throw new Error(`a display of ${bytes} bytes a pixel, with the colours ${masks}`);
  if (x < 0 || y < 0 || x + width > word(XWD.width) || y + height > word(XWD.height)) {
    throw new Error(`${width}x${height} at ${x},${y} is not on a display of ${word(XWD.width)}x${word(XWD.height)}`);
  }
  const [red, green, blue] = word(XWD.lowestFirst) === 0 ? places : places.map((place) => bytes - 1 - place);
  const start = word(XWD.header) + word(XWD.colours) * COLOUR_BYTES;
  const rows = Buffer.alloc(height * (1 + 3 * width));
  let to = 0;
  for (let row = 0; row < height; row += 1) {
    let from = start + (y + row) * word(XWD.bytesPerLine) + x * bytes;
    to += 1;
    for (let column = 0; column < width; column += 1) {
      rows[to] = dump[from + red];
      rows[to + 1] = dump[from + green];
      rows[to + 2] = dump[from + blue];
      from += bytes;
      to += 3;
    }
  }
  return rows;
}

export class Display {
  static async open(directory, { width, height }) {
    const cookie = join(directory, "xauthority");
    authority(cookie);
    const screen = `${width}x${height}x24`;
    const args = ["-displayfd", "3", "-screen", "0", screen, "-fbdir", directory, "-nolisten", "tcp", "-auth", cookie];
    const server = spawn("Xvfb", args, { stdio: ["ignore", "ignore", "ignore", "pipe"] });
    const number = await firstWords(server, server.stdio[3], "Xvfb");
    return new Display(server, { DISPLAY: `:${number}`, XAUTHORITY: cookie }, join(directory, "Xvfb_screen0"));
  }

  constructor(server, env, shown) {
    this.server = server;
    this.env = env;
    /** The file with the display's content, in the format of X Window Dump. */
    this.shown = shown;
  }

  /** A PNG file of an area of the display, once two pictures in a row are equal. */
  async picture(part) {
    let dump = readFileSync(this.shown);
    for (let look = 1; look < LOOKS; look += 1) {
      await new Promise((resolve) => setTimeout(resolve, STILL_MS));
      const before = dump;
      dump = readFileSync(this.shown);
      if (dump.equals(before)) break;
    }
    return png(part.width, part.height, rowsOf(dump, part));
  }

  close() {
    return ended(this.server);
  }
}
