// The mock backend's information about the application.
import type { AppInfo } from "@/ipc/bindings/AppInfo";
import { defaultSettings } from "@/ipc/bindings/defaults";
import type { Settings } from "@/ipc/bindings/Settings";
import { DATABASE_BYTES } from "./journal";
import { say } from "./say";
import type { Scene } from "./scenes";

/** The search path for commands. */
export const searched = ["/home/ana/.local/share/mise/shims", "/home/ana/.local/bin", "/usr/local/bin", "/usr/bin", "/bin"];

const limits: AppInfo["limits"] = [
  { name: "message", value: 4 * 1024 * 1024, unit: "bytes" },
  { name: "nodes", value: 200_000, unit: "count" },
  { name: "depth", value: 64, unit: "count" },
  { name: "in_flight", value: 64, unit: "count" },
  { name: "items", value: 1000, unit: "count" },
  { name: "pages", value: 50, unit: "count" },
  { name: "tool_name", value: 128, unit: "bytes" },
  { name: "description", value: 16_384, unit: "bytes" },
  { name: "schema", value: 262_144, unit: "bytes" },
  { name: "stderr_line", value: 65_536, unit: "bytes" },
  { name: "stderr_tail", value: 1_048_576, unit: "bytes" },
  { name: "log", value: 1024 ** 3, unit: "bytes" },
  { name: "start", value: 120, unit: "seconds" },
];

/** The application's information with this many log rows. */
export const appInfo = (scene: Scene, logRows: number): AppInfo => ({
  version: "0.1.0",
  platform: "linux x86_64",
  home: "/home/ana/.local/share/mooring",
  databaseBytes: DATABASE_BYTES,
  logRows,
  backedUpMs: Date.now() - 3 * 3_600_000,
  demoServer: true,
  loginPath: {
    path: searched,
    source: "/bin/zsh -ilc",
    note: scene === "long" ? say("the shell took longer than 3 s, so the environment's PATH was used") : null,
  },
  limits,
});

/** The settings, with overrides from the URL. */
export const usualSettings = (asked: URLSearchParams): Settings => ({
  ...defaultSettings,
  theme: (asked.get("theme") ?? "system") as Settings["theme"],
  language: (asked.get("lang") ?? "system") as Settings["language"],
  density: (asked.get("density") ?? "comfortable") as Settings["density"],
});
