// Links between a server's resources: what a relative link in one of them means, and whether the server has it.
import type { ResourceList } from "@/ipc/bindings/ResourceList";

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** Longer ones are no addresses that a person follows. */
const LONGEST = 2_000;

function absolute(uri: string, base?: string): string | null {
  try {
    return new URL(uri, base).href;
  } catch {
    return null;
  }
}

/** The whole URI that a link in the resource `base` means; null where it means none of that scheme. */
export function resolveLink(href: string, base: string): string | null {
  if (href.length > LONGEST || href.startsWith("#") || href.startsWith("//")) return null;
  const scheme = SCHEME.exec(href)?.[0].toLowerCase();
  if (scheme !== undefined) return scheme === SCHEME.exec(base)?.[0].toLowerCase() ? href : null;
  return absolute(href, base);
}

/** Whether a link has a scheme of its own, and another one than the resource that it stands in. */
export function isForeign(href: string, base: string): boolean {
  return SCHEME.test(href) && resolveLink(href, base) === null;
}

/** Whether a URI may come of a template: its fixed parts stand in it in order, with something between them. */
export function mayComeOf(uriTemplate: string, uri: string): boolean {
  const parts = uriTemplate.split(/(\{[^{}]*\})/);
  let at = 0;
  let open: string | null = null;
  for (const part of parts) {
    if (part.startsWith("{")) {
      // One after another: only together they must be something.
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

/** So many templates are compared with a link. */
const MOST_TEMPLATES = 100;

/** Finds the resource of a server that a URI means: as it is listed, or as a template makes it; null where it has none. */
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
