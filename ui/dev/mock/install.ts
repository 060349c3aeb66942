// The mock installer: its offers for missing programs, and its output.
import type { InstallOffer } from "@/ipc/bindings/InstallOffer";
import type { InstallOutcome } from "@/ipc/bindings/InstallOutcome";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { wait } from "./part";
import { said } from "./say";
import type { Scene } from "./scenes";

export function offerFor({ failure, command }: ServerView, scene: Scene): InstallOffer | null {
  if (failure?.code !== "command_not_found") return null;
  if (scene === "install_none")
    return { package: "Node.js", page: "https://nodejs.org/en/download", command: null, terminal: "sudo apt install nodejs npm" };
  if (command !== "uvx") return null;
  const line = ["/usr/bin/pipx", "install", "uv"];
  const page = "https://docs.astral.sh/uv/getting-started/installation/";
  return { package: "uv", page, command: { line, source: "PyPI", elevates: false }, terminal: null };
}

const PRINTED = [
  "creating virtual environment...",
  "installing uv...",
  "Collecting uv",
  "  Downloading uv-0.13.7-py3-none-manylinux.whl (24.1 MB)",
];
const FAILED = ["ERROR: Could not find a version that satisfies the requirement uv\u202e", "Fatal error from pip prevented installation."];

/** Prints line by line, and ends as the scene requires. */
export async function install(scene: Scene, pace: number, on: (output: string) => void): Promise<InstallOutcome> {
  let output = "";
  for (const line of scene === "install_failed" ? [...PRINTED, ...FAILED] : PRINTED) {
    output += `${line}\n`;
    on(output);
    await (scene === "install_slow" ? new Promise(() => undefined) : wait(pace));
  }
  if (scene === "install_failed") return { status: "failed", message: said("exit code {code}", { code: "1" }), path: null };
  return { status: scene === "install_off_path" ? "off_path" : "installed", message: null, path: "/home/ana/.local/bin/uvx" };
}
