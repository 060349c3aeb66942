// What the host says about a link in a server's text.
import type { AddressView } from "@/ipc/bindings/AddressView";
import { said } from "./say";

export function linkView(url: string): AddressView {
  const { protocol, host, href } = new URL(url);
  const start = host === "" ? href.length : href.indexOf(host);
  return {
    url: href,
    before: href.slice(0, start),
    domain: host,
    after: href.slice(start + host.length),
    unicodeHost: null,
    misleads: false,
    blocked: protocol === "https:" ? null : said("only https:// is opened, never {scheme}", { scheme: protocol.slice(0, -1) }),
    warnings: [],
  };
}
