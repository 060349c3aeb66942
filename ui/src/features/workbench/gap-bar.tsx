import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { TextFieldSpec } from "./args/text-form";
import type { Target } from "./target";
import { focusText, useTextSession } from "./text-session";

/** After an attempt with missing values: how many, where, and a button to continue anyway. */
export function GapBar({ server, target, fields }: { server: ServerView; target: Target; fields: readonly TextFieldSpec[] }) {
  const { t } = useTranslation("workbench");
  const { missing, running, connected, run } = useTextSession(server, target, fields);
  if (missing.length === 0 || running !== undefined) return null;
  return (
    <div
      role="status"
      className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-t border-line bg-surface py-1.5 pr-3 pl-5 text-sm"
    >
      <span className="min-w-40 flex-1 text-bad">{t("gaps.count", { count: missing.length })}</span>
      <Button look="ghost" onClick={() => focusText(target, missing[0])}>
        {t("problems.show")}
      </Button>
      <Button disabled={!connected} onClick={() => run(true)}>
        {t(target.kind === "prompt" ? "gaps.getAnyway" : "gaps.readAnyway")}
      </Button>
    </div>
  );
}
