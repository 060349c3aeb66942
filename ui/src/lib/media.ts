// Images and sounds from a server: only supported types, only as decoded bytes, never as a URL.
import { withoutEnd } from "@/lib/trim";

const IMAGES: ReadonlyMap<string, string> = new Map([
  ["image/png", "PNG"],
  ["image/jpeg", "JPEG"],
  ["image/jpg", "JPEG"],
  ["image/gif", "GIF"],
  ["image/webp", "WebP"],
]);
const SOUNDS: ReadonlyMap<string, string> = new Map([
  ["audio/wav", "WAV"],
  ["audio/wave", "WAV"],
  ["audio/x-wav", "WAV"],
  ["audio/vnd.wave", "WAV"],
  ["audio/mpeg", "MP3"],
  ["audio/mp3", "MP3"],
  ["audio/ogg", "Ogg"],
  ["audio/opus", "Opus"],
  ["audio/webm", "WebM"],
  ["audio/mp4", "MP4"],
  ["audio/aac", "AAC"],
  ["audio/flac", "FLAC"],
  ["audio/x-flac", "FLAC"],
]);

/** The type without parameters, in lower case. */
export function plainMime(mime: string | null): string {
  return (mime ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** The short name of a supported type. Null for all others. */
export function mediaName(kind: "image" | "audio", mime: string | null): string | null {
  return (kind === "image" ? IMAGES : SOUNDS).get(plainMime(mime)) ?? null;
}

/** The bytes of base64 text (also URL-safe). Null if it is invalid. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  const clean = withoutEnd(text.replaceAll(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/"), "=");
  if (clean.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(clean)) return null;
  const binary = atob(clean);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** Bytes as base64 text. */
export function encodeBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  // In chunks, because every byte is an argument.
  for (let at = 0; at < bytes.length; at += 0x8000) parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  return btoa(parts.join(""));
}

/** The bytes as text if they are UTF-8, otherwise null. */
export function decodeText(bytes: Uint8Array<ArrayBuffer>): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null; // not text
  }
}

/** Whether a type is text that may be shown as text (also SVG and HTML). */
export function isTextMime(mime: string | null): boolean {
  const plain = plainMime(mime);
  return plain.startsWith("text/") || /[/+](?:json|xml|yaml|toml|javascript|sql|csv)$/.test(plain);
}
