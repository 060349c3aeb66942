import { useQuery } from "@tanstack/react-query";
import { CircleCheck, FileJson2, FolderOpen, PackageOpen, TriangleAlert } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CodeEditor } from "@/components/code-editor";
import { DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import { ImportList, leftAtFirst, mistakesOf, warningsIn } from "@/components/import-list";
import { ImportValues } from "@/components/import-values";
import type { ImportPlace } from "@/ipc/bindings/ImportPlace";
import type { ImportPreview } from "@/ipc/bindings/ImportPreview";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { appImport, importPreview } from "@/ipc/queries";
import { composing } from "@/lib/composing";
import { showVault } from "@/lib/overlays";
import { formatBytes } from "@/lib/format";
import { isMac } from "@/lib/platform";
import { errorWords } from "@/lib/error-text";
import { sentence, wholeSentence } from "@/lib/sentence";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { useDebounced } from "@/lib/use-debounced";
import { useImportValues } from "@/lib/use-import-values";
import { RightsNote } from "../form/rights-note";
import { useOpenBundleFile } from "@/features/bundles/use-open-bundle-file";
import { StartOnUse, USUAL_START } from "@/features/apps/start-on-use";
import { FromAppNote, FromApps } from "./from-apps";
import { ReadText } from "./read-text";

const example = `{
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/me/Documents"]
    }
  }
}`;
/** Text that arrives at once and is longer than this was not typed. */
const MOST_TYPED = 20;
/** The most that the host reads. */
const MOST_BYTES = 4 << 20;
const nothing: ImportPreview = { entries: [], error: null, plain: null, read_as: null };

/** Adds many servers from a pasted configuration, an app or a project's folder. Invalid entries don't prevent adding the others. */
export function AddMany({
  text,
  held,
  onText,
  onCancel,
  onAdded,
  onNone,
}: {
  text: string;
  /** Nothing can be added yet. */
  held: boolean;
  onText: (text: string) => void;
  onCancel: () => void;
  onAdded: (id: number) => void;
  /** Called if it succeeded but there was nothing to add. */
  onNone: () => void;
}) {
  const { t, i18n } = useTranslation("servers");
  const [unchecked, setUnchecked] = useState<{ of: string; names: readonly string[] }>({ of: "", names: [] });
  const { busy, error, run, clear } = useCommand({ failure: "shown", vault: true });
  const [start, setStart] = useState(USUAL_START);
  /** The app or the project whose servers are added instead of the text's. */
  const [from, setFrom] = useState<ImportPlace | null>(null);
  const own = useQuery({ ...appImport(from ?? { app: "" }), enabled: from !== null });
  const picking = useCommand();
  /** The text if it arrived at once: pasted, or from a file. Typed text is never collapsed while typing. */
  const [whole, setWhole] = useState<string | null>(text.trim() === "" ? null : text);
  const bundle = useOpenBundleFile();
  const goTo = useRef<(line: number, column: number) => void>(() => undefined);
  const asked = useDebounced(text, 150);
  const query = useQuery({ ...importPreview(asked), enabled: asked.trim() !== "", placeholderData: (before) => before });
  const read = asked.trim() === "" ? nothing : (query.data ?? nothing);
  const preview = from === null ? read : (own.data?.preview ?? nothing);
  const reading = from === null ? query : own;
  // An unchecked box belongs to a certain text.
  const of = from === null ? asked : `${JSON.stringify(from)} ${own.data?.hash ?? ""}`;
  const left: ReadonlySet<string> = new Set(unchecked.of === of ? unchecked.names : leftAtFirst(preview.entries));
  const good = preview.entries.filter((entry) => entry.server !== null && !entry.exists);
  const chosen = good.filter((entry) => !left.has(entry.name));
  const local = chosen.some((entry) => entry.server?.transport === "stdio");
  const settled = from === null ? asked === text && !query.isPlaceholderData : own.data !== undefined && !own.isFetching;
  const mistakes = settled ? mistakesOf(preview) : [];
  const folded = from === null && whole === text && settled && preview.entries.length > 0 && mistakes.length === 0;
  const source = from ?? { text: asked };
  const asks = useImportValues(chosen.length === 0 ? [] : [{ source, entries: chosen }]);
  const listed = asks.fill(preview.entries).map((entry, index) => (left.has(entry.name) ? (preview.entries[index] ?? entry) : entry));

  const warnings = warningsIn(listed.filter(({ name }) => chosen.some((entry) => entry.name === name)));

  const edit = (next: string) => {
    if (text.trim() === "" && next.trim().length > MOST_TYPED) setWhole(next);
    onText(next);
  };
  const choose = (place: ImportPlace | null) => {
    clear();
    setFrom(place);
  };
  const pickFolder = async () => {
    const folder = await picking.run("pick_folder", {});
    if (folder != null) choose({ folder });
  };
  const picker = useRef<HTMLInputElement>(null);
  /** Loads a chosen file into the editor, as if pasted. */
  const take = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > MOST_BYTES) {
      const size = formatBytes(MOST_BYTES, i18n.language);
      return toast({ text: t("import.file.tooLarge", { name: visibleLine(file.name), size }), tone: "bad" });
    }
    try {
      const taken = await file.text();
      choose(null);
      setWhole(taken);
      onText(taken);
    } catch {
      toast({ text: t("import.file.failed"), tone: "bad" });
    }
  };

  const add = async () => {
    if (chosen.length === 0 || busy || held || !settled) return;
    if (!asks.isReady()) return;
    const names = chosen.map((entry) => entry.name);
    const given = asks.entered(chosen);
    const done = (added: readonly ServerView[]) => toast({ text: t("import.added", { count: added.length }) });
    const added =
      from === null
        ? await run("import_servers", { text, names, values: given }, { done })
        : await run("import_app_servers", { place: from, hash: own.data?.hash ?? "", names, values: given, start }, { done });
    if (added === undefined) return;
    const [first] = added;
    if (first) onAdded(first.id);
    else onNone();
  };

  return (
    // Handles the keys wherever the focus is, before a check box or the editor uses them.
    <div
      className="flex min-h-0 flex-1 flex-col"
      // The window itself opens files. Text, such as a link, is taken wherever it is dropped.
      onDragOver={(event) => event.dataTransfer.types.includes("text/plain") && event.preventDefault()}
      onDropCapture={(event) => {
        const dropped = event.dataTransfer.getData("text/plain");
        if (dropped.trim() === "") return;
        event.preventDefault();
        event.stopPropagation();
        choose(null);
        setWhole(dropped);
        onText(dropped);
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
            {!folded && <p className="m-0 mb-2 text-fg-2">{t("import.hint")}</p>}
            <div className="flex flex-wrap gap-1.5">
              {folded && <ReadText text={text} readAs={preview.read_as} onEdit={() => setWhole(null)} />}
              <Button icon={FileJson2} onClick={() => picker.current?.click()}>
                {t("import.file.choose")}
              </Button>
              <Button icon={PackageOpen} busy={bundle.busy} onClick={() => void bundle.open().then((opened) => opened && onCancel())}>
                {t("open", { ns: "bundles" })}
              </Button>
              <Button
                icon={FolderOpen}
                busy={picking.busy}
                aria-pressed={from !== null && "folder" in from}
                onClick={() => void pickFolder()}
              >
                {t("import.folder")}
              </Button>
              <FromApps chosen={from !== null && "app" in from ? from.app : null} onChoose={(app) => choose({ app: app.id })} />
              <input
                ref={picker}
                type="file"
                accept=".json,.jsonc,.json5,.toml,.yaml,.yml,.md,.txt,application/json"
                hidden
                onChange={(event) => {
                  void take(event.currentTarget.files?.[0]);
                  // Allows choosing the same file again after a change.
                  event.currentTarget.value = "";
                }}
              />
            </div>
            {from !== null ? (
              <div className="mt-2 flex items-center gap-2 rounded-m border border-line bg-sunken px-3 py-2">
                <span className="min-w-0 flex-1 wrap-any">
                  {"app" in from ? <FromAppNote id={from.app} /> : t("import.fromFolder", { folder: visibleLine(from.folder) })}
                </span>
                <Button look="ghost" onClick={() => choose(null)}>
                  {t("import.fromText")}
                </Button>
              </div>
            ) : (
              !folded && (
                <CodeEditor
                  takeFocus
                  className="mt-2"
                  label={t("import.editor")}
                  placeholder={example}
                  value={text}
                  onChange={edit}
                  mistakes={mistakes}
                  onReady={(move) => {
                    goTo.current = move;
                  }}
                  minHeight={176}
                  maxHeight="min(280px, 30vh)"
                />
              )
            )}
          </div>
          {from === null && !folded && settled && mistakes.length === 0 && preview.entries.length > 0 && preview.read_as !== null && (
            <p role="status" className="m-0 flex items-center gap-2 text-fg-2">
              <Icon of={CircleCheck} className="shrink-0 text-ok" />
              {t("import.readAs", { what: sentence(preview.read_as) })}
            </p>
          )}
          {reading.error && <ErrorNotice title={t("import.unread")} {...errorWords(reading.error)} />}
          {preview.error && (
            <ErrorNotice
              title={t("import.broken", { line: preview.error.line, column: preview.error.column })}
              why={wholeSentence(preview.error.message, i18n.language)}
              next={good.length > 0 ? t("import.brokenNextSome") : null}
            >
              {from === null && (
                <Button onClick={() => preview.error && goTo.current(preview.error.line, preview.error.column)}>{t("import.show")}</Button>
              )}
            </ErrorNotice>
          )}
          {preview.plain !== null && (
            <ErrorNotice
              tone="warn"
              title={t("import.plain")}
              why={wholeSentence(preview.plain, i18n.language)}
              next={t("import.plainNext")}
            >
              <Button onClick={() => showVault(() => void reading.refetch())}>{t("problem.vault.open", { ns: "sign-in" })}</Button>
            </ErrorNotice>
          )}
          {asks.asking.length > 0 && (
            <ImportValues entries={asks.asking} values={asks.values} tried={asks.tried} onValues={asks.setValues} />
          )}
          {preview.entries.length > 0 && (
            <ImportList
              entries={listed}
              plain={preview.plain !== null}
              left={left}
              onToggle={(names, take) =>
                setUnchecked({ of, names: [...left].filter((name) => !names.includes(name)).concat(take ? [] : names) })
              }
              {...(from === null && { onShow: (line: number, column: number) => goTo.current(line, column) })}
            />
          )}
          {from !== null && chosen.length > 0 && <StartOnUse id="add-start" start={start} onChange={setStart} />}
          {local && <RightsNote transport="stdio" />}
          {error !== null && (
            <ErrorNotice title={t("add.failed")} answers className="scroll-mb-4" {...errorWords(error)}>
              {error.code === "app_file_changed" && (
                <Button
                  onClick={() => {
                    clear();
                    void own.refetch();
                  }}
                >
                  {t("tryAgain", { ns: "common" })}
                </Button>
              )}
            </ErrorNotice>
          )}
        </div>
      </DialogBody>
      <DialogFooter>
        <span className="min-w-0 flex-1 text-fg-3">{(from !== null || text.trim().includes("\n")) && t("import.copy")}</span>
        {warnings > 0 && (
          <span className="flex shrink-0 items-center gap-1.5 text-warn tabular">
            <Icon of={TriangleAlert} />
            {t("import.warnings", { count: warnings })}
          </span>
        )}
        <Button onClick={onCancel}>{t("cancel", { ns: "common" })}</Button>
        <Button look="primary" busy={busy} disabled={chosen.length === 0 || held || !settled} keys="mod+enter" onClick={() => void add()}>
          {chosen.length === 0 ? t("import.submitNone") : t("import.submit", { count: chosen.length })}
        </Button>
      </DialogFooter>
    </div>
  );
}
