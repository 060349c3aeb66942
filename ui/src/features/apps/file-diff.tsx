import { useTranslation } from "react-i18next";
import { UntrustedText } from "@/components/their-voice";
import { cx } from "@/lib/cx";

const kinds = { "+": { colour: "bg-ok-soft text-ok", word: "added" }, "-": { colour: "bg-bad-soft text-bad", word: "removed" } } as const;

/** The value of an entry's key, in each format that a file can have. */
const KEY = /(MOORING_APP_KEY"?\s*[:=]\s*"?)([^"{}]+?)("|\s*\}|\s*$)/;

/** The lines of a unified diff, without its header. Changes are marked by sign, colour and word. */
export function FileDiff({
  diff,
  connects = true,
}: {
  diff: string;
  /** Whether the diff connects the app. Otherwise it already has a key, or gets another one. */
  connects?: boolean;
}) {
  const { t } = useTranslation("apps");
  const lines = diff.split("\n").filter((line) => !/^(---|\+\+\+) /.test(line));
  if (lines.at(-1) === "") lines.pop();
  // Marks left-out lines between two parts. Line numbers mean nothing to most people.
  const shown = lines.flatMap((line, index) => (line.startsWith("@@") ? (index === 0 ? [] : ["⋯"]) : [line]));
  const worded = (line: string) =>
    connects
      ? line
      : line.replace(KEY, (_, before: string, _value: string, after: string) =>
          [before, t(line.startsWith("+") ? "diff.newKey" : "diff.currentKey"), after].join(""),
        );
  return (
    <pre className="selectable m-0 overflow-x-auto rounded-m border border-line bg-sunken py-2 leading-[1.55]">
      {shown.map((line, index) => {
        const sign = line[0];
        const kind = sign === "+" || sign === "-" ? kinds[sign] : null;
        const quiet = line === "⋯" || line.startsWith("\\");
        return (
          <span key={index} className={cx("block min-w-fit px-3", kind?.colour, quiet && "text-fg-3")}>
            {kind && <span className="sr-only">{t(`diff.${kind.word}`)} </span>}
            {line === "" ? " " : <UntrustedText text={worded(line)} />}
          </span>
        );
      })}
    </pre>
  );
}
