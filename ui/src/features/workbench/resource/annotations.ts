// A resource's annotations: its audience, priority and last change.
import { rootOf, unlessBroken } from "@/lib/json-scan";
import { type BlockNotes, readNotes } from "../result/read-result";

/** The annotations in a JSON text. Null if there are no known ones. */
export function notesOf(annotations: string | null): BlockNotes | null {
  return annotations === null ? null : unlessBroken(() => readNotes(annotations, rootOf(annotations)), null);
}
