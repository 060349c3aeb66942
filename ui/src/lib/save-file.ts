// Saves content as a file that the person chooses.
import { useTranslation } from "react-i18next";
import { toast } from "./toasts";
import { visibleLine } from "./untrusted";
import { useCommand } from "./use-command";

/** The content of a file: text, or bytes as base64. */
export type FileContent = { readonly text: string } | { readonly base64: string };

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["application/json", "json"],
  ["application/pdf", "pdf"],
  ["application/xml", "xml"],
  ["application/zip", "zip"],
  ["application/gzip", "gz"],
  ["application/yaml", "yaml"],
  ["audio/mpeg", "mp3"],
  ["audio/mp4", "m4a"],
  ["audio/wave", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/vnd.wave", "wav"],
  ["audio/x-flac", "flac"],
  ["image/jpeg", "jpg"],
  ["image/svg+xml", "svg"],
  ["text/plain", "txt"],
  ["text/markdown", "md"],
  ["text/javascript", "js"],
  ["text/x-python", "py"],
]);

/** The usual extension of a type, or `fallback` if it is unknown. */
export function extensionOf(mime: string, fallback: string): string {
  const known = EXTENSIONS.get(mime);
  if (known !== undefined) return known;
  const sub = /^(?:image|audio|video|text|font)\/(?<name>[a-z0-9]{2,5})$/.exec(mime)?.groups?.["name"];
  return sub ?? (mime.endsWith("+json") ? "json" : mime.endsWith("+xml") ? "xml" : fallback);
}

/** A file name that is valid on every system, from a server's name for something. */
export function fileName(wanted: string, extension: string): string {
  const last = wanted.split(/[\\/]/).findLast((part) => part !== "") ?? "";
  const clean = visibleLine(last)
    .replaceAll(/[^\p{L}\p{N}._ -]+/gu, "-")
    .replaceAll(/^[-. ]+|[-. ]+$/g, "")
    .slice(0, 80);
  const base = clean === "" ? "result" : clean;
  return base.toLowerCase().endsWith(`.${extension}`) ? base : `${base}.${extension}`;
}

/** Asks where to save, and saves there. */
export function useSaveFile() {
  const { t } = useTranslation();
  const { run, busy } = useCommand();
  const save = (name: string, content: FileContent) =>
    void run(
      "save_file",
      "text" in content ? { name, content: content.text, base64: false } : { name, content: content.base64, base64: true },
      {
        done: (path) => {
          if (path !== null) toast({ text: t("savedTo", { path: visibleLine(path) }) });
        },
      },
    );
  return { save, busy };
}
