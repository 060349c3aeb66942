import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import type { Transport } from "@/ipc/bindings/Transport";
import { servers } from "@/ipc/queries";
import { errorField, errorText, errorWords } from "@/lib/error-text";
import { useCommand } from "@/lib/use-command";
import { focusProblem } from "../focus";
import { type Draft, fieldOf, inputOf, problemsOf } from "../form/draft";
import { useCommandFindings } from "../form/command-preview";
import { RightsNote } from "../form/rights-note";
import { ServerForm } from "../form/server-form";
import { useTryConnection } from "../form/try-connection";

/** The better way to add this text, if there is one. */
function betterWay(transport: Transport, text: string): "import" | "url" | null {
  if (/^\s*https?:\/\/\S*(install-mcp|mcp-install|mcp\/install|mcp%2finstall|launch\/mcp\/add)/i.test(text)) return "import";
  if (/^\s*(\{|(\$\s*)?\S+\s+mcp\s+add(-json)?\s|(mooring|vscode|vscode-insiders|cursor|lmstudio|goose):)/i.test(text)) return "import";
  return transport === "stdio" && /^\s*https?:\/\//.test(text) ? "url" : null;
}

/** Adds one server, local or remote. */
export function AddOne({
  draft,
  held,
  onDraft,
  onElsewhere,
  onCancel,
  onAdded,
}: {
  draft: Draft;
  /** Nothing can be added yet. */
  held: boolean;
  onDraft: (draft: Draft) => void;
  /** Moves the typed text to the better way. */
  onElsewhere: (way: "import" | "url", text: string) => void;
  onCancel: () => void;
  onAdded: (id: number) => void;
}) {
  const { t } = useTranslation("servers");
  const { transport } = draft;
  const { data: list = [] } = useQuery(servers());
  const form = useRef<HTMLFormElement>(null);
  const [tried, setTried] = useState(false);
  const { busy, error, run, clear } = useCommand({ failure: "shown", vault: true });
  const taken = new Set(list.map((item) => item.name));
  const field = error === null ? null : fieldOf(errorField(error), transport);
  const input = inputOf(draft, taken);
  const { check, review } = useCommandFindings(
    transport === "stdio" ? draft.commandLine : "",
    draft.env.map((row) => row.name).filter((name) => name !== ""),
    input.env["PATH"] ?? null,
  );
  const isDangerous = review.some(({ code }) => code === "danger");
  const isMissing = check !== undefined && check.path === null;
  const hasProblems = Object.keys(problemsOf(draft, taken)).length > 0;
  const trial = useTryConnection(null, input);
  const main = transport === "stdio" ? draft.commandLine : draft.url;
  const elsewhere = betterWay(transport, main);

  useEffect(() => form.current?.querySelector<HTMLElement>("[data-first]")?.focus(), []);

  /** Focuses what is wrong, if anything. */
  const isReady = () => {
    setTried(true);
    if (hasProblems) focusProblem();
    return !hasProblems;
  };
  const isEmpty = main.trim() === "";
  const add = async () => {
    if (held || !isReady()) return;
    const added = await run("add_server", { server: input });
    if (added !== undefined) onAdded(added.id);
  };

  return (
    <form
      ref={form}
      className="flex min-h-0 flex-1 flex-col"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void add();
      }}
    >
      <DialogBody>
        <div className="flex flex-col gap-4">
          <ServerForm
            draft={draft}
            onChange={(next) => {
              onDraft(next);
              clear();
            }}
            taken={taken}
            refused={field === null ? null : { field, text: errorText(error) }}
            eager={tried}
          />
          {elsewhere !== null && (
            <p className="m-0 flex items-center gap-2 text-fg-2">
              {t(elsewhere === "import" ? "add.looksLikeConfiguration" : "add.looksLikeUrl")}
              <Button onClick={() => onElsewhere(elsewhere, main)}>{t(elsewhere === "import" ? "add.read" : "add.url")}</Button>
            </p>
          )}
          <RightsNote transport={transport} />
          {trial.result}
          {error !== null && field === null && (
            <ErrorNotice title={t("add.failed")} answers className="scroll-mb-4" {...errorWords(error)} />
          )}
        </div>
      </DialogBody>
      <DialogFooter>
        {trial.button(isEmpty, false, isReady)}
        <span className="flex-1" />
        <Button onClick={onCancel}>{t("cancel", { ns: "common" })}</Button>
        <Button type="submit" look={isDangerous ? "primaryDanger" : "primary"} busy={busy} disabled={isEmpty || held} keys="enter">
          {t(isDangerous || isMissing ? "add.anyway" : transport === "stdio" ? "add.submit" : "add.connect")}
        </Button>
      </DialogFooter>
    </form>
  );
}
