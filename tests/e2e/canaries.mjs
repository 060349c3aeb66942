// Searches for secrets in everything that a window leaves behind or shows: every file in its environment (the profile,
// the keyring, the webview's storage), its output at the level `trace`, its title, its page, and the command lines and
// environments of all processes.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The encodings of a secret: plain, base64 at each of three offsets, hex, percent, JSON, UTF-16. */
function written(secret) {
  const bytes = Buffer.from(secret);
  // Without the characters that also depend on the neighbouring bytes.
  const shifted = [0, 1, 2].map((by) => {
    const text = Buffer.concat([Buffer.alloc(by), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    return text.slice(by === 0 ? 0 : by + 1, -2);
  });
  return [
    secret,
    ...shifted,
    ...shifted.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    encodeURIComponent(secret),
    [...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret, "utf16le").toString("latin1"),
  ];
}

function readable(path) {
  try {
    return readFileSync(path, "latin1");
  } catch (error) {
    // The file is gone, isn't a file, or belongs to another user.
    if (["ENOENT", "EISDIR", "ESRCH", "EACCES", "ENXIO"].includes(error.code)) return "";
    throw error;
  }
}

export class Canaries {
  constructor(desktop) {
    this.desktop = desktop;
    this.printed = [];
    desktop.onOutput = (text) => this.printed.push(text);
  }

  /** Every place, with its readable content. */
  async *#places() {
    const { directory, session } = this.desktop;
    yield ["printed", this.printed.join("")];
    yield ["title", await session.execute("return document.title")];
    yield ["page", await session.execute("return document.documentElement.outerHTML")];
    const stores = "return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])";
    yield ["stores of the page", await session.execute(stores)];
    for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath ?? entry.path, entry.name);
      yield [path.slice(directory.length), readable(path)];
    }
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      for (const name of ["cmdline", "environ"]) yield [`${name} of a process`, readable(`/proc/${pid}/${name}`)];
    }
  }

  /** The places that contain any of the secrets in any encoding. */
  async found(secrets) {
    const forms = [...new Set(secrets.flatMap(written))];
    const places = [];
    for await (const [place, text] of this.#places()) if (forms.some((form) => text.includes(form))) places.push(place);
    return places;
  }

  /** Checks that the search works: in files in every encoding, in the output, on the page and in its storage. */
  async control() {
    const { directory, session } = this.desktop;
    assert.match(this.printed.join(""), /TRACE|DEBUG/, "the window prints what it does");
    const file = join(directory, "cache", "control");
    for (const form of written(randomBytes(24).toString("base64url")).keys()) {
      const secret = randomBytes(24).toString("base64url");
      writeFileSync(file, `before ${written(secret)[form]} behind`, "latin1");
      assert.deepEqual(await this.found([secret]), ["/cache/control"], `form ${form}`);
    }
    rmSync(file);
    const stored = randomBytes(24).toString("base64url");
    await session.execute("sessionStorage.setItem('control', arguments[0])", stored);
    assert.ok((await this.found([stored])).includes("stores of the page"));
    await session.execute("sessionStorage.removeItem('control')");
    const printed = this.printed.join("").match(/[\w:]{24,}/)?.[0];
    assert.ok((await this.found([printed])).includes("printed"));
  }
}
