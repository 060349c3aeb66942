import { CircleX, Info, LockKeyhole, LockKeyholeOpen, TriangleAlert } from "lucide-react";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import type { Mistake } from "@/components/code-editor";
import { Chip } from "@/components/chip";
import { Icon } from "@/components/icon";
import { Said } from "@/components/said";
import { UntrustedText } from "@/components/their-voice";
import { Checkbox } from "@/components/toggles";
import type { ImportEntry } from "@/ipc/bindings/ImportEntry";
import type { ImportPreview } from "@/ipc/bindings/ImportPreview";
import type { Sentence } from "@/ipc/bindings/Sentence";
import { cx } from "@/lib/cx";
import { formatList } from "@/lib/format";
import { sentence } from "@/lib/sentence";
import { quotedLine, visibleLine } from "@/lib/untrusted";
import { shownAddressOf, shownLinesOf } from "@/lib/server-address";

/** The mistakes in the text for the editor's marks, one per place. */
export function mistakesOf(preview: ImportPreview): Mistake[] {
  const all = preview.entries.flatMap((entry) =>
    entry.problem !== null && entry.line !== null
      ? [{ line: entry.line, column: entry.column ?? 1, message: sentence(entry.problem) }]
      : [],
  );
  if (preview.error) all.push({ ...preview.error, message: sentence(preview.error.message) });
  const places = new Map(all.map((mistake) => [`${mistake.line}:${mistake.column}`, mistake]));
  return [...places.values()].toSorted((a, b) => a.line - b.line || a.column - b.column);
}

/** Entries that aren't selected at first: disabled ones, other ways to run a server, and those that lack something to start. */
export const leftAtFirst = (entries: readonly ImportEntry[]) =>
  entries.filter((entry) => entry.off || entry.alternative || entry.incomplete).map((entry) => entry.name);

/** Up to this number of entries, each shows its arguments one on a line. */
const MAX_WHOLE = 3;

/** The number of warnings about these entries. */
export const warningsIn = (entries: readonly ImportEntry[]): number =>
  entries.reduce(
    (sum, { server, notes }) => sum + notes.filter(isWarning).length + (server !== null && server.secrets.length > 0 ? 1 : 0),
    0,
  );

/** The entries of the text: those that can be added, existing ones, and invalid ones. */
export function ImportList({
  entries,
  plain,
  left,
  onToggle,
  onShow,
  origin,
}: {
  entries: readonly ImportEntry[];
  /** Secrets can't be encrypted and are saved as plain text. */
  plain: boolean;
  /** The names that are not added. */
  left: ReadonlySet<string>;
  onToggle: (names: string[], take: boolean) => void;
  /** Shows a place in the text, if the text is visible. */
  onShow?: (line: number, column: number) => void;
  /** Describes the origin of an entry. */
  origin?: (entry: ImportEntry) => string;
}) {
  const { t } = useTranslation("servers");
  const good = entries.filter((entry) => entry.server !== null && !entry.exists).map((entry) => entry.name);
  const taken = good.filter((name) => !left.has(name));
  const bad = entries.filter((entry) => entry.server === null).length;
  const all = taken.length === good.length ? true : taken.length === 0 ? false : "indeterminate";
  return (
    <section aria-label={t("import.list")} className="rounded-m border border-line">
      <header className="flex h-9 items-center gap-2.5 border-b border-line px-3 text-fg-2">
        <Checkbox
          checked={good.length > 0 && all}
          onChange={(take) => onToggle(good, take)}
          disabled={good.length === 0}
          label={t("import.all")}
        />
        <span className="flex-1">{t("import.found", { count: good.length })}</span>
        {bad > 0 && <Chip tone="bad">{t("import.bad", { count: bad })}</Chip>}
      </header>
      <ul className="m-0 list-none p-0">
        {entries.map((entry, index) => (
          <Line
            key={`${entry.name}-${index}`}
            entry={entry}
            plain={plain}
            whole={entries.length <= MAX_WHOLE}
            take={!left.has(entry.name)}
            onTake={(take) => onToggle([entry.name], take)}
            {...(onShow ? { onShow } : {})}
            {...(origin ? { origin: origin(entry) } : {})}
          />
        ))}
      </ul>
    </section>
  );
}

function Line({
  entry,
  plain,
  whole,
  take,
  onTake,
  onShow,
  origin,
}: {
  entry: ImportEntry;
  plain: boolean;
  whole: boolean;
  take: boolean;
  onTake: (take: boolean) => void;
  onShow?: (line: number, column: number) => void;
  origin?: string;
}) {
  const { t, i18n } = useTranslation("servers");
  const id = useId();
  const list = (names: readonly string[]) => formatList(names.map(visibleLine), i18n.language);
  const { server } = entry;
  const given = server && Object.entries(server.transport === "stdio" ? server.env : server.headers);
  // A variable can decide which program runs, so its value is shown unless it looks secret.
  const values =
    server && given?.map(([name, value]) => (entry.sealed.includes(name) || server.transport === "http" ? name : `${name}=${value}`));
  const open = server?.secrets.map((secret) => secret.name) ?? [];
  return (
    <li className="flex gap-2.5 border-b border-line px-3 py-2 last:border-0">
      {server ? (
        <span className="mt-0.5 inline-flex">
          <Checkbox id={id} checked={take && !entry.exists} onChange={onTake} disabled={entry.exists} />
        </span>
      ) : (
        <Icon of={CircleX} size={16} className="mt-0.5 shrink-0 text-bad" />
      )}
      <div className="min-w-0 flex-1">
        <label htmlFor={server ? id : undefined} className="flex min-w-0 items-baseline gap-1.5">
          <b className="min-w-0 wrap-any">{entry.name === "" ? t("import.unnamed") : <bdi>{visibleLine(entry.name)}</bdi>}</b>
          {server && <span className="shrink-0 text-fg-3">{t(`import.${server.transport}`)}</span>}
          {origin !== undefined && <span className="min-w-0 truncate text-sm text-fg-3">{origin}</span>}
          {entry.exists && server && <Chip>{t("import.exists")}</Chip>}
          {entry.off && server && <Chip>{t("import.off")}</Chip>}
          {entry.alternative && server && !entry.exists && <Chip>{t("import.alternative")}</Chip>}
        </label>
        {server && (
          <p className="mono selectable m-0 whitespace-pre-wrap wrap-any text-fg-2">
            <UntrustedText text={whole ? shownLinesOf(server) : shownAddressOf(server)} />
          </p>
        )}
        {open.length > 0 && <Note>{t("import.open", { count: open.length, names: formatList(open.map(quotedLine), i18n.language) })}</Note>}
        {entry.notes.filter(isWarning).map((note) => (
          <Note key={note.text}>
            <Said said={note} whole />
          </Note>
        ))}
        {server?.cwd != null && <p className="m-0 text-sm wrap-any text-fg-3">{t("import.cwd", { path: visibleLine(server.cwd) })}</p>}
        {values && values.length > 0 && (
          <p className="m-0 text-sm wrap-any text-fg-3">
            {t(server.transport === "stdio" ? "import.withEnv" : "import.withHeaders", { count: values.length, names: list(values) })}
          </p>
        )}
        {server && entry.sealed.length > 0 && (
          <p className="m-0 flex gap-1.5 text-sm text-fg-2">
            <Icon
              of={plain ? LockKeyholeOpen : LockKeyhole}
              size={12}
              className={cx("mt-0.75 shrink-0", plain ? "text-warn" : "text-ok")}
            />
            <span className="min-w-0 wrap-any">{t(plain ? "import.staysPlain" : "import.seals", { names: list(entry.sealed) })}</span>
          </p>
        )}
        {entry.notes
          .filter((note) => !isWarning(note))
          .map((note) => (
            <Note key={note.text} remark>
              <Said said={note} whole />
            </Note>
          ))}
        {entry.problem !== null && <p className="selectable m-0 wrap-any text-bad">{sentence(entry.problem)}</p>}
      </div>
      {onShow && entry.problem !== null && entry.line !== null && (
        <button
          type="button"
          onClick={() => onShow(entry.line ?? 1, entry.column ?? 1)}
          className="h-5 shrink-0 rounded-xs text-sm text-accent tabular hover:underline"
        >
          {t("import.place", { line: entry.line, column: entry.column ?? 1 })}
        </button>
      )}
    </li>
  );
}

/** Notes that need no action. */
export const remarks: ReadonlySet<string> = new Set([
  "{name} isn’t imported",
  "{name} isn’t imported: nothing is started for a URL",
  "{name} isn’t imported: rules under Policies decide which tools run or ask first",
  "{name} isn’t imported: the entry also has a command",
  "{name} becomes the full path {path}",
  "argument {number} becomes the full path {path}",
  "idle timeout: {seconds} s",
  "single backslashes were read as path separators: {path}",
  "the command line is split into its program and its arguments",
]);

const isWarning = ({ code }: Sentence) => !remarks.has(code);

function Note({ remark = false, children }: { remark?: boolean; children: ReactNode }) {
  return (
    <p className="m-0 mt-0.5 flex gap-1.5 text-sm text-fg-2">
      <Icon of={remark ? Info : TriangleAlert} size={12} className={cx("mt-0.75 shrink-0", remark ? "text-fg-3" : "text-warn")} />
      <span className="min-w-0 wrap-any">{children}</span>
    </p>
  );
}
