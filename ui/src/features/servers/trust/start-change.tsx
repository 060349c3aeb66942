import { useTranslation } from "react-i18next";
import { memberName } from "@/components/change-words";
import { ErrorNotice } from "@/components/error-notice";
import { UntrustedText, VoiceCaption } from "@/components/their-voice";
import type { PinChange } from "@/ipc/bindings/PinChange";
import type { PinView } from "@/ipc/bindings/PinView";
import { writeCommandLine } from "@/lib/command-line";
import { cx } from "@/lib/cx";
import { at, membersOf, scalarOf, stringAt, unlessBroken } from "@/lib/json-scan";
import { hideUserInfo } from "@/lib/secrets";
import { isLookAlike } from "./look-alike";

interface Word {
  readonly text: string;
  readonly changed: boolean;
}

interface StartChange {
  readonly kind: "url" | "command";
  readonly before: readonly Word[];
  readonly now: readonly Word[];
  /** Whether the new URL imitates the old one. */
  readonly misleads: boolean;
  /** The changes that it covers. */
  readonly shown: readonly PinChange[];
}

const textOf = ({ pieces }: PinChange, op: "added" | "removed"): string | null =>
  pieces.some((piece) => piece.op === op || piece.op === "same")
    ? pieces.map((piece) => (piece.op === op || piece.op === "same" ? piece.text : "")).join("")
    : null;

const wordsOf = ({ pieces }: PinChange, op: "added" | "removed"): Word[] =>
  pieces.flatMap((piece) => (piece.op === op || piece.op === "same" ? [{ text: piece.text, changed: piece.op === op }] : []));

const hostOf = (url: string | null): string => (url !== null && URL.canParse(url) ? new URL(url).hostname : "");

/** The old and the new command or URL in full. Null if unknown. `changes` leaves out credentials in URLs. */
export function startChangeOf(pin: PinView): StartChange | null {
  if (pin.kind !== "server" || pin.unshown > 0 || pin.whole !== null) return null;
  const url = pin.changes.find(({ pointer }) => pointer === "/url");
  if (url) {
    const [before, now] = [textOf(url, "removed"), textOf(url, "added")];
    if (before === null || now === null) return null;
    const misleads = isLookAlike(hostOf(before), hostOf(now));
    return { kind: "url", before: wordsOf(url, "removed"), now: wordsOf(url, "added"), misleads, shown: [url] };
  }
  const shown = pin.changes.filter(({ pointer }) => /^\/(?:command|args\/\d+)$/.test(pointer));
  if (shown.length === 0) return null;
  const line = lineOf(pin.now);
  const places = new Map(shown.map((change) => [change.pointer === "/command" ? 0 : Number(change.pointer.slice(6)) + 1, change]));
  const last = Math.max(line.length - 1, ...places.keys());
  // Other pointers are not positions in the command line.
  if (last >= line.length + shown.length) return null;
  const words = (op: "added" | "removed") =>
    Array.from({ length: last + 1 }, (_, place): Word | null => {
      const change = places.get(place);
      const text = change ? textOf(change, op) : (line[place] ?? null);
      return text === null ? null : { text: `${place === 0 ? "" : " "}${writeCommandLine(text, [])}`, changed: change !== undefined };
    }).filter((word) => word !== null);
  return { kind: "command", before: words("removed"), now: words("added"), misleads: false, shown };
}

/** The current command and its arguments. */
function lineOf(now: string): string[] {
  const args = at(now, "args");
  const rest = args === null ? [] : unlessBroken(() => [...membersOf(now, args)].map(({ value }) => scalarOf(now, value)), []);
  return [stringAt(now, "command") ?? "", ...rest].map(hideUserInfo);
}

/** Both in full, one above the other, because the new one must be read as a whole. */
export function StartChanged({ change, pin, server }: { change: StartChange; pin: PinView; server: string }) {
  const { t } = useTranslation("trust");
  const part = memberName(pin, change.kind === "url" ? "/url" : "/command")?.part;
  const rows = [
    { name: t("start.before"), words: change.before, mark: "text-bad bg-bad-soft" },
    { name: t("start.now"), words: change.now, mark: "text-warn bg-warn-soft" },
  ];
  return (
    <>
      {change.misleads && <ErrorNotice title={<span className="text-bad">{t("start.misleads")}</span>} why={t("start.misleadsWhy")} />}
      <figure className="relative m-0 mt-3.5 rounded-m border border-line-strong bg-surface">
        <VoiceCaption server={server} says={t(pin.approvedAt === null ? "changes.frameSeen" : "changes.frame")} />
        <dl aria-label={part === "url" ? t("change.part.url") : t("change.part.command")} className="selectable m-0 pt-2.5">
          {rows.map(({ name, words, mark }) => (
            <div key={name} className="border-b border-line px-3.5 py-2 last:border-0">
              <dt className="text-sm text-fg-3">{name}</dt>
              <dd data-theirs dir="ltr" className="mono m-0 mt-0.5 wrap-any">
                {words.map((word, index) =>
                  word.changed ? (
                    <b key={index} className={cx("rounded-xs", mark)}>
                      <UntrustedText text={word.text} />
                    </b>
                  ) : (
                    <UntrustedText key={index} text={word.text} />
                  ),
                )}
              </dd>
            </div>
          ))}
        </dl>
      </figure>
    </>
  );
}
