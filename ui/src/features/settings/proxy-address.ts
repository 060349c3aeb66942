// Parses the URL of a proxy as typed.

/** The URL with its scheme, which is optional. Null if it is invalid or has more than a host and a port. */
export function proxyAddress(text: string): string | null {
  const typed = text.trim();
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `http://${typed}`;
  const url = URL.parse(whole);
  if (!url || !["http:", "https:"].includes(url.protocol) || url.hostname === "") return null;
  const bare = url.username === "" && url.password === "" && url.pathname === "/" && url.search === "" && url.hash === "";
  return bare ? whole.replace(/\/$/, "") : null;
}
