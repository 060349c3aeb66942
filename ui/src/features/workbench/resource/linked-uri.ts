// Resolves links between a server's resources, and finds the resources that they name.
import type { ResourceList } from "@/ipc/bindings/ResourceList";

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** Longer URIs are not followed. */
const LONGEST = 2_000;

function absolute(uri: string, base?: string): string | null {
  try {
    return new URL(uri, base).href;
  } catch {
    return null;
  }
}

/** The URI of a link in the resource `base`. Null if it has another scheme. */
export function resolveLink(href: string, base: string): string | null {
  if (href.length > LONGEST || href.startsWith("#") || href.startsWith("//")) return null;
  const scheme = SCHEME.exec(href)?.[0].toLowerCase();
  if (scheme !== undefined) return scheme === SCHEME.exec(base)?.[0].toLowerCase() ? href : null;
  return absolute(href, base);
}

/** Whether a link has a scheme that differs from its resource's. */
export function isForeign(href: string, base: string): boolean {
  return SCHEME.test(href) && resolveLink(href, base) === null;
}

/** Whether a template may produce a URI: its literal parts are in it in order, with something in between. */
export function mayComeOf(uriTemplate: string, uri: string): boolean {
  const parts = uriTemplate.split(/(\{[^{}]*\})/);
  let at = 0;
  let open: string | null = null;
  for (const part of parts) {
    if (part.startsWith("{")) {
      // Adjacent expressions only need to produce something together.
      open = open === null || /^\{[?&]/.test(open) ? part : open;
      continue;
    }
    if (part === "") continue;
    const found = open === null ? at : uri.indexOf(part, at + (isOptional(open) ? 0 : 1));
    if (found < 0 || !uri.startsWith(part, found) || !mayBeBetween(open, uri.slice(at, found))) return false;
    at = found + part.length;
    open = null;
  }
  const rest = uri.slice(at);
  return open === null ? rest === "" : (isOptional(open) || rest !== "") && mayBeBetween(open, rest);
}

const isOptional = (expression: string) => /^\{[?&#]/.test(expression);
const mayBeBetween = (expression: string | null, text: string) =>
  expression === null || /^\{[+/#]/.test(expression) || !/[/]/.test(text.split(/[?#]/, 1)[0] ?? "");

/** How many templates are compared with a link. */
const MOST_TEMPLATES = 100;

/** Finds the server's resource for a URI: a listed one, or one of a template. Null if there is none. */
export function resourceFinder({ resources, templates }: ResourceList): (uri: string) => string | null {
  const listed = new Map(resources.flatMap(({ uri }) => [[absolute(uri) ?? uri, uri] as const, [uri, uri] as const]));
  const patterns = templates.slice(0, MOST_TEMPLATES).map(({ uriTemplate }) => uriTemplate);
  return (uri) => {
    const whole = uri.replace(/#.*$/s, "");
    for (const form of [uri, whole, absolute(uri), absolute(whole)]) {
      const found = form === null ? undefined : listed.get(form);
      if (found !== undefined) return found;
    }
    return patterns.some((pattern) => mayComeOf(pattern, whole)) ? whole : null;
  };
}
