import { useTranslation } from "react-i18next";
import type { PromptView } from "@/ipc/bindings/PromptView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { TextForm } from "../args/text-form";
import { WithheldNotice } from "../args/withheld-notice";
import { GapBar } from "../gap-bar";
import { ItemHeader } from "../item-header";
import { BelowTexts } from "../run-actions";
import { ServerBanner } from "../server-banner";
import type { Target } from "../target";

/** The main pane: a prompt's purpose and its arguments. */
export function PromptPane({ server, target, prompt }: { server: ServerView; target: Target; prompt: PromptView }) {
  const { t } = useTranslation("workbench");
  return (
    <section aria-label={t("tab.arguments")} className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-5 pt-3 pb-5">
        <ItemHeader server={server} kind="prompt" item={prompt} copy={prompt.name} />
        <ServerBanner server={server} />
        <WithheldNotice server={server.id} target={target} />
        {prompt.arguments.length === 0 ? (
          <p className="m-0 text-fg-2">{t("prompt.noArguments")}</p>
        ) : (
          <TextForm server={server} target={target} fields={prompt.arguments} reference={{ kind: "prompt", name: prompt.name }} />
        )}
        <BelowTexts server={server} target={target} fields={prompt.arguments} />
      </div>
      <GapBar server={server} target={target} fields={prompt.arguments} />
    </section>
  );
}
