// A person with a browser who approves everything. `node browser.mjs URL [NAME] [--stop]` follows redirects, stores
// cookies, and submits the first form of each page, until a page has none. Prints the status, or with `--stop` the next
// URL at another origin.

import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";

const [start, name = "ada", stop] = process.argv.slice(2);
const cookies = new Map();
const unescaped = (text) => text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
const attribute = (tag, wanted) => unescaped(tag.match(new RegExp(`\\b${wanted}="([^"]*)"`))?.[1] ?? "");

/** Requests a URL with its cookies, and stores new ones. */
async function visit(url, body) {
  const sent = [...cookies.values()].filter(({ origin, path }) => origin === url.origin && url.pathname.startsWith(path));
  // Headers of a browser that navigates. `fetch` would not send them.
  const headers = { accept: "text/html", "sec-fetch-dest": "document", "sec-fetch-mode": "navigate" };
  if (sent.length > 0) headers.cookie = sent.map(({ pair }) => pair).join("; ");
  if (body) headers["content-type"] = "application/x-www-form-urlencoded";
  const asked = request(url, { method: body ? "POST" : "GET", headers });
  asked.end(body?.toString());
  const [answer] = await once(asked, "response");
  for (const line of answer.headers["set-cookie"] ?? []) {
    const [pair, ...rest] = line.split("; ");
    const path = rest.find((part) => part.toLowerCase().startsWith("path="))?.slice(5) ?? "/";
    const ended = rest.some((part) => part.toLowerCase().startsWith("expires=") && Date.parse(part.slice(8)) < Date.now());
    const key = `${url.origin} ${path} ${pair.split("=")[0]}`;
    if (ended) cookies.delete(key);
    else cookies.set(key, { origin: url.origin, path, pair });
  }
  return answer;
}

let url = new URL(start);
let body;
for (let steps = 0; steps < 30; steps += 1) {
  const answer = await visit(url, body);
  body = undefined;
  const { statusCode: status, headers } = answer;
  if (status >= 300 && status < 400 && headers.location) {
    answer.resume();
    url = new URL(headers.location, url);
    if (!stop || url.origin === new URL(start).origin) continue;
    console.log(url.href);
    break;
  }
  const page = await text(answer);
  const form = page.match(/<form\b[^>]*>/)?.[0];
  const good = status >= 200 && status < 300;
  if (!form || !good) {
    console.log(status);
    process.exitCode = good ? 0 : 1;
    if (!good) console.error(page);
    break;
  }
  body = new URLSearchParams();
  for (const [field] of page.matchAll(/<input\b[^>]*>/g)) {
    body.set(attribute(field, "name"), attribute(field, "value") || name);
  }
  url = new URL(attribute(form, "action"), url);
}
