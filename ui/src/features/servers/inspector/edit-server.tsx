import { useQuery } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { servers } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { formatList } from "@/lib/format";
import { quotedLine } from "@/lib/untrusted";
import { errorField, errorText, errorWords } from "@/lib/error-text";
import { toast } from "@/lib/toasts";
import { useCommand } from "@/lib/use-command";
import { running, type ServerActions } from "../actions";
import { changesOf } from "../form/changes";
import { type Draft, draftOf, fieldOf, inputOf, problemsOf } from "../form/draft";
import { dropEdit, keepEdit, useEdit } from "../form/edits";
import { ServerForm } from "../form/server-form";
import { useTryConnection } from "../form/try-connection";
import { canonical, startsAnew } from "../form/same";
import { WhatChanged } from "./what-changed";

/** The editable configuration of a server. Only a name or time limit takes effect without a restart. */
export function EditServer({ server, actions }: { server: ServerView; actions: ServerActions }) {
  const { t, i18n } = useTranslation("servers");
  const { data: list = [] } = useQuery(servers());
  const [saved, setSaved] = useState(() => draftOf(server));
  const draft = useEdit(server.id) ?? saved;
  const { busy, error, run, clear } = useCommand({ failure: "shown", vault: true });
  const taken = new Set(list.filter((item) => item.id !== server.id).map((item) => item.name));
  const problems = problemsOf(draft, taken);
  const input = inputOf(draft, taken);
  const changed = canonical(input) !== canonical(server);
  const restarts = server.state !== "stopped" && (!changed || startsAnew(server, input));
  const trial = useTryConnection(server.id, input);
  const field = error === null ? null : fieldOf(errorField(error), draft.transport);

  const save = () => {
    if (busy || !changed || Object.keys(problems).length > 0) return;
    const done = (now: ServerView) => {
      setSaved(draftOf(now));
      dropEdit(server.id, draft);
      toast({ text: t(restarts ? "edit.restarted" : "edit.saved") });
    };
    void run("update_server", { id: server.id, server: input }, { done });
  };

  const change = (next: Draft) => {
    clear();
    if (canonical(inputOf(next, taken)) !== canonical(server)) return keepEdit(server.id, next);
    // An unchanged configuration isn't an edit, and must not conflict with later changes from elsewhere.
    setSaved(next);
    dropEdit(server.id);
  };
  const revert = () => {
    setSaved(draftOf(server));
    dropEdit(server.id);
    clear();
  };

  const missing = server.secrets.filter((secret) => !secret.entered).map((secret) => quotedLine(secret.name));
  return (
    <form
      className="flex min-h-full flex-col gap-4 px-5 py-4"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {missing.length > 0 && (
        <ErrorNotice
          tone="warn"
          title={t(running(server) ? "secret.missingNow" : "secret.missing", {
            count: missing.length,
            names: formatList(missing, i18n.language),
          })}
        />
      )}
      <ServerForm
        draft={draft}
        onChange={change}
        taken={taken}
        refused={field === null ? null : { field, text: errorText(error) }}
        savedCommand={draftOf(server).commandLine}
        changes={changed ? changesOf(server, input) : []}
        eager
      />
      {error !== null && field === null && <ErrorNotice title={t("edit.failed")} answers className="scroll-mb-18" {...errorWords(error)} />}
      {trial.result}
      {changed && <WhatChanged before={server} after={input} />}
      <div className="@container sticky bottom-0 -mx-5 mt-auto -mb-4 border-t border-line bg-surface px-5 py-3">
        <div className="flex flex-wrap items-center justify-end gap-2">
          {/* Only a wide page has room for it next to the save button. The server's menu has it too. */}
          <span className={cx("mr-auto", changed && "hidden @lg:inline")}>
            <Button look="danger" icon={Trash2} onClick={() => void actions.remove(server)}>
              {t("menu.remove")}
            </Button>
          </span>
          {trial.button(Object.keys(problems).length > 0, true)}
          {changed && (
            <Button look="ghost" onClick={revert}>
              {t("edit.revert")}
            </Button>
          )}
          <Button type="submit" look={changed ? "primary" : "default"} busy={busy} disabled={!changed || Object.keys(problems).length > 0}>
            {t(restarts ? "edit.restart" : "edit.save")}
          </Button>
        </div>
      </div>
    </form>
  );
}
