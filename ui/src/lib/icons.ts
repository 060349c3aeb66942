// Icons of servers and their offers, if they are harmless images: in the definition itself (`data:`) or loaded by the
// host, of a supported type that the first bytes confirm, small, and without anything that runs, loads or grows. The
// page loads nothing. Source: basic/index#icons of the specification.
import { at } from "./json-scan";
import { decodeBase64, decodeText, plainMime } from "./media";

export type IconTheme = "light" | "dark";

/** The most characters of all icons of an item. Longer ones are ignored. */
const MAX_SOURCE = 256 << 10;
/** The most icons of an item that are checked. */
const MAX_ICONS = 8;
/** The largest side, in pixels. */
const MAX_SIDE = 1_024;
/** How often an SVG may reuse a shape, because nested uses grow exponentially. */
const MAX_USES = 12;

interface Candidate {
  readonly src: string;
  /** The background that it is made for. Null for any. */
  readonly theme: IconTheme | null;
  /** The longer side in pixels. Infinite for scalable images. */
  readonly side: number;
}

/** The icons in a definition. */
function entriesOf(raw: string): readonly Record<string, unknown>[] {
  // A cheap check for definitions without icons.
  const node = raw.includes('"icons"') ? at(raw, "icons") : null;
  if (node?.kind !== "array" || node.end - node.start > MAX_SOURCE) return [];
  const entries: unknown = JSON.parse(raw.slice(node.start, node.end));
  const objects = (Array.isArray(entries) ? entries : []).filter((entry) => typeof entry === "object" && entry !== null);
  return objects.slice(0, MAX_ICONS) as Record<string, unknown>[];
}

/** The icon URLs that the host may load. */
export const iconUrls = (raw: string): string[] => [
  ...new Set(entriesOf(raw).flatMap(({ src }) => (typeof src === "string" && /^https:/i.test(src) ? [src] : []))),
];

/** The icon for each theme at a size in pixels. Null if there is none. `loaded` has loaded ones as `data:` URLs. */
export function iconOf(
  raw: string,
  pixels: number,
  loaded: ReadonlyMap<string, string> = new Map(),
): Readonly<Record<IconTheme, string>> | null {
  const candidates = entriesOf(raw).flatMap(
    ({ src, ...entry }) => candidateOf({ ...entry, src: typeof src === "string" ? (loaded.get(src) ?? src) : src }) ?? [],
  );
  const light = bestOf(candidates, "light", pixels);
  const dark = bestOf(candidates, "dark", pixels);
  return light && dark ? { light: light.src, dark: dark.src } : null;
}

/** The one for the theme, then the smallest that is large enough on a dense screen, then the largest. */
function bestOf(candidates: readonly Candidate[], theme: IconTheme, pixels: number): Candidate | null {
  const own = candidates.filter((icon) => icon.theme === theme);
  const fitting = own.length > 0 ? own : candidates.filter((icon) => icon.theme === null);
  const bySide = (fitting.length > 0 ? fitting : candidates).toSorted((a, b) => a.side - b.side);
  return bySide.find((icon) => icon.side >= 2 * pixels) ?? bySide.at(-1) ?? null;
}

function candidateOf({ src, mimeType, theme }: Record<string, unknown>): Candidate | null {
  const parts = typeof src === "string" ? /^data:([^,]*),/i.exec(src) : null;
  if (typeof src !== "string" || !parts) return null;
  const [head = "", described = ""] = parts;
  const type = plainMime(described);
  // The type that the server states must match.
  if (typeof mimeType === "string" && alike(plainMime(mimeType)) !== alike(type)) return null;
  const bytes = /;\s*base64\s*$/i.test(described) ? decodeBase64(src.slice(head.length)) : percentDecoded(src.slice(head.length));
  if (bytes === null) return null;
  const side = sideOf(alike(type), bytes);
  if (side === null) return null;
  return { src, theme: theme === "light" || theme === "dark" ? theme : null, side };
}

const alike = (type: string) => (type === "image/jpg" ? "image/jpeg" : type);

function percentDecoded(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return new TextEncoder().encode(decodeURIComponent(text));
  } catch {
    return null; // invalid percent-encoded UTF-8
  }
}

/** The longer side of an image. Null if it doesn't match its type, is too large, or is more than an image. */
function sideOf(type: string, bytes: Uint8Array<ArrayBuffer>): number | null {
  const size = type === "image/svg+xml" ? (isStill(bytes) ? [Infinity] : null) : (sizes[type]?.(new DataView(bytes.buffer)) ?? null);
  if (size === null) return null;
  const side = Math.max(...size);
  return side > 0 && (side <= MAX_SIDE || side === Infinity) ? side : null;
}

const startsWith = (view: DataView, at: number, bytes: readonly number[]) =>
  view.byteLength >= at + bytes.length && bytes.every((byte, index) => view.getUint8(at + index) === byte);
const ascii = (text: string) => Array.from(text, (char) => char.charCodeAt(0));

/** The width and height in a file's header, in pixels. Null if the file isn't of this type. */
const sizes: Readonly<Record<string, (view: DataView) => number[] | null>> = {
  // ISO/IEC 15948, 5.2 and 11.2.2
  "image/png": (view) =>
    view.byteLength > 24 && startsWith(view, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) && startsWith(view, 12, ascii("IHDR"))
      ? [view.getUint32(16), view.getUint32(20)]
      : null,
  "image/jpeg": jpegSize,
  "image/webp": webpSize,
};

/** Finds the frame header among the segments (ITU-T T.81, B.2.2). */
function jpegSize(view: DataView): number[] | null {
  if (!startsWith(view, 0, [0xff, 0xd8, 0xff])) return null;
  let at = 2;
  while (at + 9 < view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [view.getUint16(at + 5), view.getUint16(at + 7)];
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}

/** Parses one of the three forms of the first chunk (RFC 9649, section 2). */
function webpSize(view: DataView): number[] | null {
  if (view.byteLength < 30 || !startsWith(view, 0, ascii("RIFF")) || !startsWith(view, 8, ascii("WEBP"))) return null;
  const at24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  if (startsWith(view, 12, ascii("VP8X"))) return [at24(24) + 1, at24(27) + 1];
  if (startsWith(view, 12, ascii("VP8L"))) {
    const bits = view.getUint32(21, true);
    return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
  }
  if (startsWith(view, 12, ascii("VP8 "))) return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
  return null;
}

/** What an SVG must not contain: parts that run, move, load, embed other languages, or are slow to draw. */
const FORBIDDEN =
  /<!doctype|<!entity|<\?xml-stylesheet|<(?:[\w-]+:)?(?:script|foreignobject|animate\w*|set|image|feimage|filter|iframe|a)\b|\son\w+\s*=|@import|@keyframes|@font-face|javascript:/i;
/** References must stay inside the image. */
const OUTSIDE = /(?:href\s*=\s*["']?\s*(?!["'\s#])|url\(\s*["']?\s*(?!["'\s#]))/i;

/** Whether an SVG is a still image of shapes. The page draws it as an image, which runs and loads nothing either. */
function isStill(bytes: Uint8Array<ArrayBuffer>): boolean {
  const text = decodeText(bytes);
  if (text === null || !/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*)*<svg\b/.test(text)) return false;
  // Text with character references is not checked.
  if (/&#/.test(text) || FORBIDDEN.test(text) || OUTSIDE.test(text)) return false;
  return (text.match(/<(?:[\w-]+:)?use\b/gi)?.length ?? 0) <= MAX_USES && !/<(?:[\w-]+:)?pattern\b/i.test(text);
}
