import { useQuery } from "@tanstack/react-query";
import { MessageSquareText } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { offerIcon } from "@/components/offer-icon";
import { Skeleton } from "@/components/skeleton";
import type { PromptArgument } from "@/ipc/bindings/PromptArgument";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { prompts } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { visibleLine } from "@/lib/untrusted";
import { answers } from "../actions";
import { OfferList } from "./offer-list";
import { TabEmpty } from "./tab-empty";

/** The arguments in common notation: optional ones in brackets. */
const signature = (args: readonly PromptArgument[]) => args.map(({ name, required }) => (required ? name : `[${name}]`)).join(" ");

/** The server's prompts with their arguments. Each links to the Workbench. */
export function PromptsTab({ server }: { server: ServerView }) {
  const { t } = useTranslation("servers");
  const connected = answers(server);
  const query = useQuery({ ...prompts(server.id), enabled: connected });
  if (!connected) return <TabEmpty icon={MessageSquareText} title={t("tools.notConnected")} text={t("prompts.notConnectedText")} />;
  if (query.isPending) return <Skeleton rows={6} />;
  if (query.error)
    return (
      <div className="p-5">
        <ErrorNotice title={t("prompts.failed")} {...errorWords(query.error)}>
          <Button busy={query.isFetching} onClick={() => void query.refetch()}>
            {t("tryAgain", { ns: "common" })}
          </Button>
        </ErrorNotice>
      </div>
    );
  const all = query.data.prompts;
  if (all.length === 0) return <TabEmpty icon={MessageSquareText} title={t("prompts.none")} text={t("prompts.noneText")} />;
  return (
    <div className="flex flex-col gap-3 px-5 py-4">
      <OfferList
        title={t("prompts.frame", { name: visibleLine(server.name), count: all.length })}
        lines={all.map((prompt) => ({
          icon: offerIcon("prompt", null),
          name: prompt.name,
          ...(prompt.arguments.length === 0 ? {} : { code: signature(prompt.arguments) }),
          description: prompt.description ?? prompt.title,
          oddities: prompt.diagnostics.length,
          search: { server: server.id, prompt: prompt.name },
        }))}
        searchLabel={t("prompts.search")}
        nothing={t("prompts.noMatch")}
        diagnostics={query.data.diagnostics}
      />
    </div>
  );
}
