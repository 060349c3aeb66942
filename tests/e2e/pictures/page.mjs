// Serves the built pages on the loopback interface, with the listener that records their errors.

import { readFile } from "node:fs/promises";
import { once } from "node:events";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { LISTENER } from "./checks.mjs";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".woff2": "font/woff2",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

/** Serves the pages in `directory`. Returns their URL and a function that stops the server. */
export async function serve(directory) {
  const index = (await readFile(join(directory, "index.html"), "utf8")).replace("<head>", `<head><script>${LISTENER}</script>`);
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request, response) {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://127.0.0.1").pathname));
    if (path === "/" || path === "/index.html")
      return response.writeHead(200, { "content-type": TYPES[".html"], "cache-control": "no-store" }).end(index);
    try {
      const body = await readFile(join(directory, path));
      // Names of built files contain a hash of their content.
      return response
        .writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream", "cache-control": "max-age=86400, immutable" })
        .end(body);
    } catch {
      return response.writeHead(404, { "content-type": "text/plain" }).end("not found");
    }
  }

  await once(server.listen(0, "127.0.0.1"), "listening");
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address: `http://127.0.0.1:${server.address().port}/`, close };
}
