// The scripted installer: what is offered for a missing program, and what it prints.
import type { InstallOffer } from "@/ipc/bindings/InstallOffer";
import type { InstallOutcome } from "@/ipc/bindings/InstallOutcome";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { Scene } from "./scenes";
import { said } from "./say";

export function offerFor({ failure, command }: ServerView, scene: Scene): InstallOffer | null {
  if (failure?.code !== "command_not_found") return null;
  if (scene === "install_none")
    return { package: "Node.js", page: "https://nodejs.org/en/download", command: null, terminal: "sudo apt install nodejs npm" };
  if (command !== "uvx") return null;
  return {
    package: "uv",
    page: "https://docs.astral.sh/uv/getting-started/installation/",
    command: { line: ["/usr/bin/pipx", "install", "uv"], source: "PyPI", elevates: false },
    terminal: null,
  };
}

const PRINTED = [
  "creating virtual environment...",
  "installing uv...",
  "Collecting uv",
  "  Downloading uv-0.13.7-py3-none-manylinux.whl (24.1 MB)",
];
const FAILED = ["ERROR: Could not find a version that satisfies the requirement uv\u202e", "Fatal error from pip prevented installation."];

/** Prints line by line, and ends as the scene says. */
export async function install(scene: Scene, pace: number, signal: AbortSignal, on: (output: string) => void): Promise<InstallOutcome> {
  const lines = scene === "install_failed" ? [...PRINTED, ...FAILED] : PRINTED;
  for (const shown of lines.keys()) {
    on(`${lines.slice(0, shown + 1).join("\n")}\n`);
    await new Promise<void>((done) => {
      if (scene !== "install_slow") setTimeout(done, pace);
      signal.addEventListener("abort", () => done());
    });
    if (signal.aborted) return { status: "cancelled", message: null, path: null };
  }
  if (scene === "install_failed") return { status: "failed", message: said("exit code {code}", { code: "1" }), path: null };
  const path = "/home/ana/.local/bin/uvx";
  return { status: scene === "install_off_path" ? "off_path" : "installed", message: null, path };
}
