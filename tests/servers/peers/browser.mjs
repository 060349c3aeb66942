// A person with a browser who agrees to everything: `node browser.mjs ADDRESS [NAME] [--stop]` follows redirects, keeps
// cookies, fills in the first form of each page and sends it, until a page has none. Prints the status, or with `--stop` the
// address at another origin that it would have gone to next.

const [start, name = "ada", stop] = process.argv.slice(2);
const cookies = new Map();
const unescaped = (text) => text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
const attribute = (tag, wanted) => unescaped(tag.match(new RegExp(`\\b${wanted}="([^"]*)"`))?.[1] ?? "");

/** Asks for one address with the cookies that belong there, and keeps those that come. */
async function visit(url, body) {
  const sent = [...cookies.values()].filter(({ origin, path }) => origin === url.origin && url.pathname.startsWith(path));
  const headers = sent.length > 0 ? { cookie: sent.map(({ pair }) => pair).join("; ") } : {};
  const answer = await fetch(url, { method: body ? "POST" : "GET", body, headers, redirect: "manual" });
  for (const line of answer.headers.getSetCookie()) {
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
  const location = answer.headers.get("location");
  if (answer.status >= 300 && answer.status < 400 && location) {
    url = new URL(location, url);
    if (!stop || url.origin === new URL(start).origin) continue;
    console.log(url.href);
    break;
  }
  const page = await answer.text();
  const form = page.match(/<form\b[^>]*>/)?.[0];
  if (!form || !answer.ok) {
    console.log(answer.status);
    process.exitCode = answer.ok ? 0 : 1;
    if (!answer.ok) console.error(page);
    break;
  }
  body = new URLSearchParams();
  for (const [field] of page.matchAll(/<input\b[^>]*>/g)) {
    body.set(attribute(field, "name"), attribute(field, "value") || name);
  }
  url = new URL(attribute(form, "action"), url);
}
