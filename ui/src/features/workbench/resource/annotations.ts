// What a server says of a resource beside its name: for whom it is, how much it matters, when it changed.
import { rootOf, unlessBroken } from "@/lib/json-scan";
import { type BlockNotes, readNotes } from "../result/read-result";

/** The annotations in a JSON text; null when there are none that we know. */
export function notesOf(annotations: string | null): BlockNotes | null {
  return annotations === null ? null : unlessBroken(() => readNotes(annotations, rootOf(annotations)), null);
}
