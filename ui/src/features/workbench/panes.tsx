import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { PromptPane } from "./prompt/prompt-pane";
import { ResourcePane } from "./resource/resource-pane";
import { templateFields } from "./resource/template-fields";
import { TemplatePane } from "./resource/template-pane";
import { TextActions, ToolActions } from "./run-actions";
import { ToolPane } from "./tool-pane";
import type { Runnable } from "./use-offer";

interface Panes {
  /** The buttons of the bar. */
  readonly actions: ReactNode;
  readonly main: ReactNode;
  /** The label of the main pane as a tab. */
  readonly label: (t: TFunction<"workbench">) => string;
}

/** The parts of the screen for each kind of offer. */
export function panesOf(server: ServerView, offer: Runnable): Panes {
  const { target } = offer;
  const label = (t: TFunction<"workbench">) => t(offer.kind === "resource" ? "tab.about" : "tab.arguments");
  switch (offer.kind) {
    case "tool":
      return { label, actions: <ToolActions server={server} tool={offer.tool} />, main: <ToolPane server={server} tool={offer.tool} /> };
    case "resource":
      return {
        label,
        actions: <TextActions server={server} target={target} fields={[]} />,
        main: <ResourcePane server={server} target={target} resource={offer.resource} />,
      };
    case "template":
      return {
        label,
        actions: <TextActions server={server} target={target} fields={templateFields(offer.template)} />,
        main: <TemplatePane server={server} target={target} template={offer.template} />,
      };
    case "prompt":
      return {
        label,
        actions: <TextActions server={server} target={target} fields={offer.prompt.arguments} />,
        main: <PromptPane server={server} target={target} prompt={offer.prompt} />,
      };
  }
}
