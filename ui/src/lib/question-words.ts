// A question in one sentence: the asker and the request.
import type { TFunction } from "i18next";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import { callerOf, callingApp } from "./callers";
import { visibleLine } from "./untrusted";

export function questionWords({ question, serverName, occasion }: InteractionView, t: TFunction<"inbox">): string {
  const server = visibleLine(serverName);
  switch (question.kind) {
    case "tool": {
      const app = callingApp(occasion.caller);
      const by = app === null ? (callerOf(occasion.caller) ?? "other") : question.keyless ? "keyless" : "app";
      return t(`arrived.call.${by}`, { app, tool: visibleLine(question.tool), server });
    }
    case "app":
      return t(question.isTerminal ? "arrived.named.terminal" : "arrived.named.app", { app: visibleLine(question.app), server });
    case "url":
      return t("arrived.named.url", { address: visibleLine(question.address.domain || question.address.url), server });
    case "sampling":
      // The practice model has no name.
      return question.route?.model.trim()
        ? t("arrived.named.sampling", { model: visibleLine(question.route.model), server })
        : t("arrived.sampling", { server });
    default:
      return t(`arrived.${question.kind}`, { server });
  }
}
