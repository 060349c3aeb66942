// Texts about a server that several parts of the screen show.
import type { TFunction } from "i18next";
import type { Failure } from "@/ipc/bindings/Failure";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { visible, visibleLine } from "@/lib/untrusted";
import { writeCommandLine } from "./form/command-line";

/** How the server is reached, on one line: its command line or its address. */
export function addressOf(server: Pick<ServerView, "transport" | "command" | "args" | "url">): string {
  return server.transport === "stdio" ? writeCommandLine(server.command ?? "", server.args) : (server.url ?? "");
}

const codes = [
  "command_not_found", "not_executable", "exited", "timeout", "refused", "not_mcp", "http_status", "sign_in", "handshake", "too_large", "internal",
] as const;

/** What happened, in our words. */
export function failureTitle(failure: Failure, t: TFunction<"servers">): string {
  const code = codes.find((item) => item === failure.code) ?? "internal";
  return t(`failure.${code}.title`);
}

/** The next step: the backend's where it fits the language, else ours. */
export function failureNext(failure: Failure, t: TFunction<"servers">, language: string): string {
  if (failure.next !== null && language === "en") return visible(failure.next);
  const code = codes.find((item) => item === failure.code) ?? "internal";
  return t(`failure.${code}.next`);
}

/** Whether a server matches what was typed into the filter: name, address or state. */
export function matchesFilter(server: ServerView, text: string, stateWord: string): boolean {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return true;
  return [visibleLine(server.name), addressOf(server), stateWord, server.revision ?? ""].some((part) => part.toLowerCase().includes(wanted));
}
