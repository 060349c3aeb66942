import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { Chip } from "@/components/chip";
import { Marked, useNeedle } from "@/components/marked";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { logEntry } from "@/ipc/queries";
import { placeOf } from "@/lib/needle";
import { visibleLine } from "@/lib/untrusted";
import { useDelayed } from "@/lib/use-delayed";
import { errorCode, excerpt, previewOf } from "../list/describe";
import { type FrameWords, frameWords } from "./frame-words";
import { type Countable, begun, decidedBy, endTitle, gapTitle, inWords, isCounted, refusedWords, sayWords, stateName } from "./names";
import { type Saying, sayingOf } from "./saying";

export type Translate = TFunction<["activity", "common"]>;

interface WordsProps {
  row: LogRow;
  /** The approximate number of characters that fit. */
  room: number;
  language: string;
  t: Translate;
}

/** The event column: our words in the text font, the server's in the monospace font, never mixed. */
export function EventWords(props: WordsProps) {
  const { row, room, language, t } = props;
  const needle = useNeedle();
  const saying = sayingOf(row, row.preview);
  if (saying === null)
    return row.kind === "stderr" ? (
      <Quiet mono text={excerpt(previewOf(row), room, needle)} />
    ) : (
      <Frame row={row} room={room} language={language} t={t} />
    );
  // The preview contains the English text, but may end before the translatable sentence.
  return language !== "en" && isEnglish(saying) && row.size > row.preview.length ? (
    <SaidWhole key={row.id} {...props} saying={saying} />
  ) : (
    <Said {...props} saying={saying} />
  );
}

function isEnglish(saying: Saying): boolean {
  if (saying.about === "state" || saying.about === "gap") return typeof saying.reason === "string";
  return "message" in saying && typeof saying.message === "string";
}

/** Mooring's own text, from the full body of the row. */
function SaidWhole({ saying, ...props }: WordsProps & { saying: Saying }) {
  const { row } = props;
  const whole = useWhole(row, (body) => sayingOf(row, body));
  return <Said {...props} saying={whole ?? saying} />;
}

/** Reads a row's full body. Nothing is read for rows that scroll by, or for long ones. */
function useWhole<T>(row: LogRow, read: (body: string) => T | null): T | null {
  const stays = useDelayed(true, 300);
  const { data = null } = useQuery({
    ...logEntry(row.id),
    enabled: stays && row.size <= READ_UP_TO,
    select: (entry) => (entry === null ? null : read(entry.body)),
  });
  return data;
}

/** Longer messages are only read when they are opened, in bytes. */
const READ_UP_TO = 256 * 1_024;

function Said({ row, room, language, t, saying }: WordsProps & { saying: Saying }) {
  const needle = useNeedle();
  switch (saying.about) {
    case "verdict":
      return (
        <>
          <span>{t(`verdict.${saying.decision}`)}</span>
          {saying.tool !== null && (
            <b className="mono ml-2 font-semibold">
              <Marked text={visibleLine(saying.tool)} />
            </b>
          )}
          <Quiet text={decidedBy(saying, t)} />
        </>
      );
    case "state":
      return (
        <>
          <span>{saying.to === "" ? t("state.changed") : stateName(saying.to, t)}</span>
          <Quiet text={inWords(saying.reason, language)} />
        </>
      );
    case "gap":
      return (
        <>
          <span>{gapTitle(saying, t, language)}</span>
          <Quiet text={inWords(saying.reason, language)} />
        </>
      );
    case "end":
      return (
        <>
          <span>{endTitle(row, t)}</span>
          <Name text={row.subject ?? row.method ?? ""} />
          <Quiet text={inWords(saying.message, language)} />
        </>
      );
    case "auth":
      return saying.refused === null ? (
        <span>{begun(inWords(saying.message, language)) || t("kind.auth")}</span>
      ) : (
        <>
          <span>
            <Marked text={refusedWords(saying.refused, t)} />
          </span>
          <Quiet text={inWords(saying.message, language)} />
        </>
      );
    case "noise":
      return (
        <>
          <span>{t("noise.row")}</span>
          <Quiet mono text={excerpt(previewOf(row), room, needle)} />
        </>
      );
    case "oddity":
      return (
        <>
          <span>{begun(inWords(saying.message, language)) || t("kind.diagnostic")}</span>
          <Quiet mono text={saying.path ?? ""} />
        </>
      );
    default:
      return saying satisfies never;
  }
}

/** A message as a sentence. A search match that the sentence doesn't contain follows it. */
function Frame({ row, room, language, t }: WordsProps) {
  const words = frameWords(row, row.preview);
  if (words === null) return <Unread row={row} room={room} t={t} />;
  return (
    <>
      <Say row={row} words={words} language={language} t={t} />
      <Name text={words.name} />
      <Ending row={row} t={t} />
      <Theirs row={row} words={words} room={room} />
    </>
  );
}

/** The answer after its request, in the same line. */
export function AnswerWords({ row, room, language, t }: WordsProps) {
  const words = frameWords(row, row.preview);
  return (
    <>
      <span className="ml-2 text-fg-3">→ </span>
      <span>
        {words === null ? (
          <Unread row={row} room={room} t={t} />
        ) : (
          <>
            <Say row={row} words={words} language={language} t={t} />
            {words.name !== row.subject && <Name text={words.name} />}
            <Ending row={row} t={t} />
            <Theirs row={row} words={words} room={room} />
          </>
        )}
      </span>
    </>
  );
}

/** A message that isn't a JSON object, unchanged. */
function Unread({ row, room, t }: Omit<WordsProps, "language">) {
  const needle = useNeedle();
  return (
    <>
      <Ending row={row} t={t} />
      <Quiet mono text={excerpt(previewOf(row), room, needle)} />
    </>
  );
}

function Say({ row, words, language, t }: Omit<WordsProps, "room"> & { words: FrameWords }) {
  const { say, count } = words;
  if (say === null) return null;
  if (isCounted(say) && count === undefined && row.status === "ok")
    return <Counted key={row.id} row={row} say={say} language={language} t={t} />;
  return <span>{sayWords(words, t, language)}</span>;
}

/** The number of items in a list whose preview is truncated. */
function Counted({ row, say, language, t }: Omit<WordsProps, "room"> & { say: Countable }) {
  const count = useWhole(row, (body) => frameWords(row, body)?.count ?? null);
  return <span>{sayWords(count === null ? { say } : { say, count }, t, language)}</span>;
}

/** Requests whose answers say more than their content. */
const MINOR: ReadonlySet<FrameWords["say"]> = new Set(["starts", "calls", "prompts", "listens"]);

function Theirs({ row, words: { say, name, theirs }, room }: { row: LogRow; words: FrameWords; room: number }) {
  const needle = useNeedle();
  const holds = (text: string) => placeOf(text, needle) !== -1;
  const least = (text: string) => Math.max(room, 24, holds(text) ? needle.length + 24 : 0);
  const part = (text: string) => (room === 0 && MINOR.has(say) && !holds(text) ? "" : excerpt(text, least(text), needle));
  const elsewhere = !holds(theirs) && !holds(name) && holds(row.preview);
  return (
    <>
      {" "}
      <Quiet mono text={part(theirs)} />
      {elsewhere && <Quiet mono text={part(previewOf(row))} />}
    </>
  );
}

function Name({ text }: { text: string }) {
  if (text === "") return null;
  return (
    <>
      {" "}
      <b className="mono ml-0.5 font-semibold first:ml-0">
        <Marked text={visibleLine(text)} />
      </b>
    </>
  );
}

const chip = "ml-2 align-middle first:ml-0";

/** The outcome of an exchange that didn't succeed. */
function Ending({ row, t }: { row: LogRow; t: Translate }) {
  if (row.status === "cancelled")
    return (
      <Chip tone="warn" className={chip}>
        {t("status.cancelled")}
      </Chip>
    );
  if (row.status === "timed_out")
    return (
      <Chip tone="warn" className={chip}>
        {t("status.timed_out")}
      </Chip>
    );
  if (row.status !== "error") return null;
  const code = errorCode(row);
  return (
    <Chip tone="bad" className={chip}>
      {code === null ? t("status.error") : t("status.errorCode", { code })}
    </Chip>
  );
}

/** The rest of the line, as far as it fits. */
function Quiet({ text, mono = false }: { text: string; mono?: boolean }) {
  if (text === "") return null;
  return (
    <span className={mono ? "mono ml-2 text-fg-3 first:ml-0" : "ml-2 text-fg-3 first:ml-0"}>
      <Marked text={visibleLine(text)} />
    </span>
  );
}
