import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { HitText } from "@/components/json-hit-text";
import type { TextHit } from "@/components/json-hits";
import { JsonTree } from "@/components/json-tree";
import { TheirVoice } from "@/components/their-voice";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { logEntry } from "@/ipc/queries";
import { formatBytes } from "@/lib/format";
import { stringAt } from "@/lib/json-scan";
import { isAnswer, isRequest } from "../list/describe";

/** Whether only the beginning of an oversized message was saved. */
export const isCut = (row: LogRow, body: string): boolean => row.kind === "frame" && body !== "" && row.size > body.length * 4;

/** The body of a message as a tree, below its title. An error's text comes first. */
export function Message({ row, body, cut, hit = null }: { row: LogRow; body: string; cut: boolean; hit?: TextHit | null }) {
  const { t, i18n } = useTranslation("activity");
  const error = row.direction === "in" && row.status !== "none" ? stringAt(body, "error", "message") : null;
  return (
    <>
      {error !== null && (
        <TheirVoice server={row.source} says={t("detail.reports")} className="mt-6">
          {error}
        </TheirVoice>
      )}
      <Section title={isRequest(row) ? t("detail.requestBody") : isAnswer(row) ? t("detail.answerBody") : t("detail.body")}>
        {cut && <p className="mt-0 mb-2 text-warn">{t("detail.cut", { size: formatBytes(row.size, i18n.language) })}</p>}
        <Box>
          <JsonTree text={body} hit={hit} />
        </Box>
      </Section>
    </>
  );
}

/** The other message of an exchange, below the open one. */
export function PartnerMessage({ row }: { row: LogRow }) {
  const { data } = useQuery(logEntry(row.id));
  const body = data?.body;
  if (body === undefined || body === "") return null;
  const cut = isCut(row, body);
  return <Message row={row} body={cut ? `${body}…` : body} cut={cut} />;
}

/** A text without changes. */
export function Exact({ text, hit }: { text: string; hit: TextHit | null }) {
  return (
    <span className="mono selectable block leading-[19px] whitespace-pre-wrap text-fg wrap-any">
      <HitText text={text} hit={hit} />
    </span>
  );
}

/** A section of an event's facts. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className="mt-4.5 mb-2 text-md font-semibold">{title}</h2>
      {children}
    </section>
  );
}

/** The frame around a tree. */
export function Box({ children }: { children: ReactNode }) {
  return <div className="rounded-m border border-line bg-sunken py-2 pr-3 pl-1.5">{children}</div>;
}
