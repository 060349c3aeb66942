// A server's declared capabilities, from the JSON text that it sent. Lenient: anything but false and null counts.
import { at } from "./json-scan";

const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Whether the capabilities have something at this path. */
export function declares(capabilities: string | null, ...path: readonly string[]): boolean {
  const node = capabilities === null ? null : at(capabilities, ...path);
  if (node === null || capabilities === null || node.kind === "null") return false;
  return node.kind !== "boolean" || capabilities.slice(node.start, node.end) === "true";
}

/** Whether the server's calls may become tasks, in either form of the protocol. */
export function declaresTasks(capabilities: string | null): boolean {
  return declares(capabilities, "tasks") || declares(capabilities, "extensions", TASKS_EXTENSION);
}
