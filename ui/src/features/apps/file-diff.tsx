import { useTranslation } from "react-i18next";
import { UntrustedText } from "@/components/their-voice";
import { cx } from "@/lib/cx";

const kinds = { "+": { colour: "bg-ok-soft text-ok", word: "added" }, "-": { colour: "bg-bad-soft text-bad", word: "removed" } } as const;

/** The lines of a unified diff, without its header: what comes and goes is marked by sign, colour and word. */
export function FileDiff({ diff }: { diff: string }) {
  const { t } = useTranslation("apps");
  const lines = diff.split("\n").filter((line) => !/^(---|\+\+\+) /.test(line));
  if (lines.at(-1) === "") lines.pop();
  return (
    <pre className="selectable m-0 overflow-x-auto rounded-m border border-line bg-sunken py-2 leading-[1.55]">
      {lines.map((line, index) => {
        const sign = line[0];
        const kind = sign === "+" || sign === "-" ? kinds[sign] : null;
        const quiet = line.startsWith("@@") || line.startsWith("\\");
        return (
          <span key={index} className={cx("block min-w-fit px-3", kind?.colour, quiet && "text-fg-3")}>
            {kind && <span className="sr-only">{t(`diff.${kind.word}`)} </span>}
            {line === "" ? " " : <UntrustedText text={line} />}
          </span>
        );
      })}
    </pre>
  );
}
