// Why the data cannot be opened, by code, and what else a scene refuses.
import { said } from "./say";
import type { Scene } from "./scenes";

const startupFailures: Record<string, { message: string; details: object }> = {
  database_newer: {
    message: "the database was written by a newer version: format 14",
    details: { path: "/home/ana/.local/share/mooring/mooring.db", found: 14, supported: 3 },
  },
  read_only: { message: "the data folder is read-only", details: { path: "/home/ana/.local/share/mooring" } },
  folder_of_others: {
    message: "another user owns this or can write to it, so Mooring doesn’t use it: /home/ana/.local/share/mooring/mooring.db",
    details: { path: "/home/ana/.local/share/mooring" },
  },
  disk_full: { message: "the disk is full", details: { path: "/home/ana/.local/share/mooring" } },
  not_a_database: {
    message: "the file is not a database",
    details: { next: "Run `mooring restore` to list the backups, then `mooring restore NUMBER`.", backup: 1_764_028_800_000_000 },
  },
  already_open: {
    message: "another Mooring window uses this data folder: /home/ana/.local/share/mooring",
    details: { next: "Continue in that window, or close it first." },
  },
  database_damaged: {
    message: "the database is damaged: page 12 is never used",
    details: { next: "Run `mooring restore` to list the backups, then `mooring restore NUMBER`.", backup: 1_764_028_800_000_000 },
  },
  database_missing: {
    message: "the database is empty or missing, though this folder was in use: /home/ana/.local/share/mooring/mooring.db",
    details: { next: "There is no backup. `mooring restore --empty` starts with empty data.", backup: null },
  },
  database_locked: { message: "another program holds the database", details: { next: "Wait a moment, or close the other program." } },
  open_failed: { message: "cannot open the database: input/output error", details: { path: "/home/ana/.local/share/mooring/mooring.db" } },
};

/** What a command is refused with, if the scene says so. */
export function refusalOf(scene: Scene, restored: boolean, name: string): unknown {
  const failure = !restored && name !== "restore_data" ? startupFailures[scene] : undefined;
  if (failure) return { code: scene, ...failure };
  const reported = (detail: string) => ({ code: "internal", message: said("the database reported: {detail}", { detail }), details: null });
  if (scene === `failed_${name}`) return reported("database is locked");
  if (
    (scene === "broken" && name === "list_servers") ||
    (scene === "inbox_unread" && name === "list_inbox") ||
    (scene === "inbox_undecided" && (name === "list_decisions" || name === "find_decisions"))
  )
    return reported("disk I/O error");
  return null;
}
