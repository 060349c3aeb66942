import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { settings } from "@/ipc/queries";
import { formatBytes, formatCount, formatList } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { CodeFact, Fact, Facts } from "../facts";
import { notesOf } from "./annotations";

/** A localised date, or the server's text if it isn't a date. */
function momentText(text: string, language: string): string {
  const moment = Date.parse(text);
  return Number.isNaN(moment)
    ? visibleLine(text).slice(0, 60)
    : new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(moment);
}

/** The facts about a resource or a template that are known before it is read. */
export function ResourceFacts({
  uri,
  pattern,
  mime,
  size,
  annotations,
}: {
  uri?: string;
  pattern?: string;
  mime: string | null;
  size: number | null;
  annotations: string | null;
}) {
  const { t, i18n } = useTranslation("workbench");
  const { data: limits } = useQuery(settings());
  const notes = notesOf(annotations);
  const most = limits === undefined ? null : limits.maxMessageMiB * 1024 * 1024;
  const audience = (notes?.audience ?? []).map((who) =>
    who === "user" || who === "assistant" ? t(`result.audience.${who}`) : visibleLine(who).slice(0, 40),
  );
  return (
    <Facts>
      {uri !== undefined && <CodeFact name={t("resource.uri")} text={uri} copy={t("result.copyAddress")} />}
      {pattern !== undefined && <CodeFact name={t("resource.pattern")} text={pattern} copy={t("copyOf.template")} />}
      {mime !== null && <CodeFact name={t("resource.type")} text={mime} />}
      {size !== null && (
        <Fact name={t("resource.size")}>
          {formatBytes(size, i18n.language)}
          {size >= 1024 && (
            <span className="text-fg-3"> · {t("resource.bytes", { count: size, shown: formatCount(size, i18n.language) })}</span>
          )}
          {most !== null && size > most && (
            <span className="block text-sm text-warn">
              {t("resource.tooLarge", { limit: `${formatCount(limits?.maxMessageMiB ?? 0, i18n.language)} MiB` })}
            </span>
          )}
        </Fact>
      )}
      {audience.length > 0 && <Fact name={t("resource.audience")}>{formatList(audience, i18n.language)}</Fact>}
      {notes?.priority != null && <Fact name={t("resource.priority")}>{visibleLine(notes.priority).slice(0, 12)}</Fact>}
      {notes?.lastModified != null && <Fact name={t("resource.modified")}>{momentText(notes.lastModified, i18n.language)}</Fact>}
    </Facts>
  );
}
