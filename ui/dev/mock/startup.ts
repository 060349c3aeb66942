// Why the data cannot be opened, by code, and other failures of a scene.
import { said } from "./say";
import type { Scene } from "./scenes";

const folder = "/home/ana/.local/share/mooring";
const file = `${folder}/mooring.db`;
const list = "Run `mooring restore` to list the backups, then `mooring restore NUMBER`.";
const empty = "There is no backup. `mooring restore --empty` starts with empty data.";
const backup = 1_764_028_800_000_000;

const startupFailures: Partial<Record<Scene, readonly [message: string, details: object]>> = {
  database_newer: ["the database was written by a newer version: format 14", { path: file, found: 14, supported: 3 }],
  read_only: ["the data folder is read-only", { path: folder }],
  folder_of_others: [`another user owns this or can write to it, so Mooring doesn’t use it: ${file}`, { path: folder }],
  disk_full: ["the disk is full", { path: folder }],
  not_a_database: ["the file is not a database", { next: list, backup }],
  already_open: [`another Mooring window uses this data folder: ${folder}`, { next: "Continue in that window, or close it first." }],
  database_damaged: ["the database is damaged: page 12 is never used", { next: list, backup }],
  database_missing: [`the database is empty or missing, though this folder was in use: ${file}`, { next: empty, backup: null }],
  database_locked: ["another program holds the database", { next: "Wait a moment, or close the other program." }],
  open_failed: ["cannot open the database: input/output error", { path: file }],
};

const unread: Partial<Record<Scene, readonly string[]>> = {
  broken: ["list_servers"],
  inbox_unread: ["list_inbox"],
  inbox_undecided: ["list_decisions", "find_decisions"],
};

/** The error of a command, if the scene has one. */
export function refusalOf(scene: Scene, restored: boolean, name: string): unknown {
  const [message, details] = (!restored && name !== "restore_data" ? startupFailures[scene] : undefined) ?? [];
  if (message !== undefined) return { code: scene, message, details };
  const detail = scene === `failed_${name}` ? "database is locked" : unread[scene]?.includes(name) === true ? "disk I/O error" : null;
  return detail === null ? null : { code: "internal", message: said("the database reported: {detail}", { detail }), details: null };
}
