// The scenes of the mock backend, for `?scene=`. `cargo xtask pictures` takes a picture of each.
import type { Commands } from "@/ipc/bindings/commands";

const scenes = [
  "usual empty first_apps many long slow offers unread broken added_elsewhere no_tray terminals first_close first_close_no_tray",
  "database_newer read_only folder_of_others disk_full not_a_database already_open database_damaged database_missing database_locked",
  "open_failed",
  "bundle bundle_update bundle_damaged bundle_elsewhere bundle_slow",
  "inbox inbox_kinds inbox_form inbox_url inbox_tool inbox_apps inbox_terminal inbox_scope inbox_sampling inbox_answer inbox_odd inbox_edges",
  "inbox_queue inbox_silenced inbox_gone inbox_expired inbox_arrival inbox_slow inbox_unread inbox_undecided",
  "install install_none install_failed install_off_path install_slow servers_locked servers_value_missing servers_downloading servers_asleep",
  "vault_closed vault_opening vault_waiting vault_passphrase vault_run vault_locked vault_keychain vault_missing vault_other",
  "vault_ended vault_none vault_gone",
  "sign_in_client_needed sign_in_pkce sign_in_resource sign_in_denied sign_in_unreachable sign_in_vault",
  "no_models models_every models_crowded no_rules odd_rules no_calls no_roots unusable_roots roots_wide roots_kept own_only",
  "shared_only profiles",
  "trust_definition trust_new trust_moved trust_hidden trust_words",
  "apps_renew apps_sealed apps_keyless apps_in_repository apps_changed apps_outdated apps_http apps_running apps_limited",
  "apps_unapproved",
  "catalog_first catalog_many catalog_offline catalog_slow catalog_update",
] as const;

type Word<Line extends string> = Line extends `${infer First} ${infer Rest}` ? First | Word<Rest> : Line;

/** A scene, a failing command, or an error code for the next answer in the Inbox. */
export type Scene = Word<(typeof scenes)[number]> | `failed_${keyof Commands}` | `inbox_refuses_${string}`;

/** The scene with this name, or the usual one. */
export function sceneOf(name: string | null): Scene {
  const known = /^(?:failed|inbox_refuses)_/.test(name ?? "") || scenes.some((line) => line.split(" ").includes(name ?? ""));
  return known ? (name as Scene) : "usual";
}
