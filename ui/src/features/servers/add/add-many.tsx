import { useQuery } from "@tanstack/react-query";
import { FileJson2 } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CodeEditor } from "@/components/code-editor";
import { DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import type { ImportPreview } from "@/ipc/bindings/ImportPreview";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { importPreview } from "@/ipc/queries";
import { composing } from "@/lib/composing";
import { showVault } from "@/lib/overlays";
import { formatBytes } from "@/lib/format";
import { isMac } from "@/lib/platform";
import { errorWords } from "@/lib/error-text";
import { wholeSentence } from "@/lib/sentence";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { useDebounced } from "@/lib/use-debounced";
import { RightsNote } from "../form/rights-note";
import { ImportList, leftAtFirst, mistakesOf } from "@/components/import-list";

const example = `{
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/me/Documents"]
    }
  }
}`;
/** As much as the host reads. */
const MOST_BYTES = 4 << 20;
const nothing: ImportPreview = { entries: [], error: null, plain: null };

/** Many servers at once, from a pasted configuration. What is good can be added although something else is bad. */
export function AddMany({
  text,
  onText,
  onCancel,
  onAdded,
  onNone,
}: {
  text: string;
  onText: (text: string) => void;
  onCancel: () => void;
  onAdded: (id: number) => void;
  /** It went well, and nothing was there to add. */
  onNone: () => void;
}) {
  const { t, i18n } = useTranslation("servers");
  const [unchecked, setUnchecked] = useState<{ text: string; names: readonly string[] }>({ text: "", names: [] });
  const { busy, error, run } = useCommand({ failure: "shown", vault: true });
  const goTo = useRef<(line: number, column: number) => void>(() => undefined);
  const asked = useDebounced(text, 150);
  const query = useQuery({ ...importPreview(asked), enabled: asked.trim() !== "", placeholderData: (before) => before });
  const preview = asked.trim() === "" ? nothing : (query.data ?? nothing);
  // An unchecked box belongs to the text it was unchecked in.
  const left: ReadonlySet<string> = new Set(unchecked.text === asked ? unchecked.names : leftAtFirst(preview.entries));
  const good = preview.entries.filter((entry) => entry.server !== null && !entry.exists);
  const chosen = good.filter((entry) => !left.has(entry.name));
  const local = chosen.some((entry) => entry.server?.transport === "stdio");
  const settled = asked === text && !query.isPlaceholderData;

  const picker = useRef<HTMLInputElement>(null);
  /** A file that was chosen or dropped stands in the editor, as if it had been pasted. */
  const take = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > MOST_BYTES) {
      const size = formatBytes(MOST_BYTES, i18n.language);
      return toast({ text: t("import.file.tooLarge", { name: visibleLine(file.name), size }), tone: "bad" });
    }
    try {
      onText(await file.text());
    } catch {
      toast({ text: t("import.file.failed"), tone: "bad" });
    }
  };

  const add = async () => {
    if (chosen.length === 0 || busy || !settled) return;
    const names = chosen.map((entry) => entry.name);
    const done = ({ length }: readonly ServerView[]) => toast({ text: t("import.added", { count: length }) });
    const added = await run("import_servers", { text, names }, { done });
    if (added === undefined) return;
    const [first] = added;
    if (first) onAdded(first.id);
    else onNone();
  };

  return (
    // The keys hold wherever the focus is, and before a box or the editor makes something else of them.
    <div
      className="flex min-h-0 flex-1 flex-col"
      onDragOver={(event) => event.dataTransfer.types.includes("Files") && event.preventDefault()}
      onDropCapture={(event) => {
        const [file] = event.dataTransfer.files;
        if (!file) return;
        event.preventDefault();
        event.stopPropagation();
        void take(file);
      }}
      onKeyDownCapture={(event) => {
        if (event.key !== "Enter" || !(isMac ? event.metaKey : event.ctrlKey) || composing(event.nativeEvent)) return;
        event.preventDefault();
        event.stopPropagation();
        if (!event.repeat) void add();
      }}
    >
      <DialogBody>
        <div className="flex flex-col gap-4">
          <div>
            <div className="mb-2 flex items-start gap-3">
              <p className="m-0 min-w-0 flex-1 text-fg-2">{t("import.hint")}</p>
              <Button icon={FileJson2} onClick={() => picker.current?.click()}>
                {t("import.file.choose")}
              </Button>
              <input
                ref={picker}
                type="file"
                accept=".json,.jsonc,.json5,.toml,.yaml,.yml,.txt,application/json"
                hidden
                onChange={(event) => {
                  void take(event.currentTarget.files?.[0]);
                  // The same file can be chosen again after it was changed.
                  event.currentTarget.value = "";
                }}
              />
            </div>
            <CodeEditor
              takeFocus
              label={t("import.editor")}
              placeholder={example}
              value={text}
              onChange={onText}
              mistakes={settled ? mistakesOf(preview) : []}
              onReady={(move) => {
                goTo.current = move;
              }}
              minHeight={176}
              maxHeight="min(280px, 30vh)"
            />
          </div>
          {query.error && <ErrorNotice title={t("import.unread")} {...errorWords(query.error)} />}
          {preview.error && (
            <ErrorNotice
              title={t("import.broken", { line: preview.error.line, column: preview.error.column })}
              why={wholeSentence(preview.error.message, i18n.language)}
              next={good.length > 0 ? t("import.brokenNextSome") : t("import.brokenNext")}
            >
              <Button onClick={() => preview.error && goTo.current(preview.error.line, preview.error.column)}>{t("import.show")}</Button>
            </ErrorNotice>
          )}
          {preview.plain !== null && (
            <ErrorNotice
              tone="warn"
              title={t("import.plain")}
              why={wholeSentence(preview.plain, i18n.language)}
              next={t("import.plainNext")}
            >
              <Button onClick={() => showVault(() => void query.refetch())}>{t("problem.vault.open", { ns: "signIn" })}</Button>
            </ErrorNotice>
          )}
          {preview.entries.length > 0 && (
            <ImportList
              entries={preview.entries}
              plain={preview.plain !== null}
              left={left}
              onToggle={(names, take) =>
                setUnchecked({ text: asked, names: [...left].filter((name) => !names.includes(name)).concat(take ? [] : names) })
              }
              onShow={(line, column) => goTo.current(line, column)}
            />
          )}
          {local && <RightsNote transport="stdio" />}
          {error !== null && <ErrorNotice title={t("add.failed")} answers className="scroll-mb-4" {...errorWords(error)} />}
        </div>
      </DialogBody>
      <DialogFooter>
        <span className="min-w-0 flex-1 text-fg-3">{t("import.copy")}</span>
        <Button onClick={onCancel}>{t("cancel", { ns: "common" })}</Button>
        <Button look="primary" busy={busy} disabled={chosen.length === 0 || !settled} keys="mod+enter" onClick={() => void add()}>
          {chosen.length === 0 ? t("import.submitNone") : t("import.submit", { count: chosen.length })}
        </Button>
      </DialogFooter>
    </div>
  );
}
