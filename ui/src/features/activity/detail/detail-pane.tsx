import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FlaskConical, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { CopyButton } from "@/components/code-block";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import { HitText } from "@/components/json-hit-text";
import type { TextHit } from "@/components/json-hits";
import { JsonTree } from "@/components/json-tree";
import { useNeedle } from "@/components/marked";
import { Skeleton } from "@/components/skeleton";
import { Tabs } from "@/components/tabs";
import { TheirVoice } from "@/components/their-voice";
import type { LogRow } from "@/ipc/bindings/LogRow";
import { logEntry } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { appOf } from "../list/describe";
import { type Saying, sayingOf, tellsMore } from "../words/saying";
import { CallSides } from "./call-sides";
import { ExactFacts, Facts } from "./facts";
import { Hit } from "./hit";
import { HitSteps } from "./hit-steps";
import { Box, Exact, isCut, Message, PartnerMessage, Section } from "./message";
import { MessageWords, OwnWords, StderrWords } from "./own-words";
import { type Shape, useHits } from "./use-hits";

/** The formatted or the raw view of an event. */
export type DetailTab = "pretty" | "raw";

/** An event: its meaning, its facts, and its raw text. */
export function DetailPane({
  id,
  row: known,
  tab,
  onTab,
  partnerOf,
  cancelledOf,
  onPartner,
  onCall,
  onClose,
}: {
  id: number;
  /** The row from the list, which is shown until the body is loaded. */
  row: LogRow | null;
  tab: DetailTab;
  onTab: (tab: DetailTab) => void;
  partnerOf: (row: LogRow) => LogRow | null;
  /** The request that a message cancels. */
  cancelledOf: (row: LogRow) => LogRow | null;
  onPartner: (row: LogRow) => void;
  /** Shows all events of a call of an app. */
  onCall: (call: number) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation(["activity", "common"]);
  const needle = useNeedle();
  const { data: entry, error, refetch } = useQuery(logEntry(id));
  const row = entry ?? known;
  const body = entry?.body;
  const saying = row ? sayingOf(row, body ?? row.preview) : null;
  const cut = row !== null && body !== undefined && isCut(row, body);
  const tree = cut ? `${body}…` : (body ?? "");
  const isRaw = tab === "raw";
  const hits = useHits(isRaw ? (body ?? "") : tree, isRaw ? "text" : row ? shapeOf(row, tree, saying) : "none", needle);
  const close = <IconButton icon={X} label={t("common:close")} keys="escape" small onClick={onClose} />;
  if (entry === null || (error && !row)) {
    return (
      <div className="flex min-h-0 flex-1 flex-col">
        <div className="flex h-10 shrink-0 items-center justify-end border-b border-line px-4">{close}</div>
        <div className="p-4">
          {error ? (
            <ErrorNotice title={t("detail.failed")} {...errorWords(error)}>
              <RetryLink onClick={() => void refetch()} />
            </ErrorNotice>
          ) : (
            <ErrorNotice tone="warn" title={t("detail.gone")} why={t("detail.goneWhy")} />
          )}
        </div>
      </div>
    );
  }
  const partner = row === null ? null : partnerOf(row);
  // Content that grows above the scroll position would move it.
  const sides = row !== null && row.call !== null && <CallSides call={row.call} app={row.app ?? ""} onCall={onCall} />;
  const after = (
    <span className="flex items-center gap-0.5">
      {hits.count > 0 && <HitSteps hits={hits} />}
      {row?.serverId != null && row.method === "tools/call" && row.subject !== null && (
        <Link
          to="/workbench"
          search={{ server: row.serverId, tool: row.subject }}
          aria-label={t("detail.workbench")}
          title={t("detail.workbench")}
          className="grid size-6 place-items-center rounded-s text-fg-2 hover:bg-hover hover:text-fg"
        >
          <Icon of={FlaskConical} />
        </Link>
      )}
      {body !== undefined && <CopyButton text={body} label={t("detail.copy")} />}
      {close}
    </span>
  );
  return (
    <Tabs
      value={tab}
      onChange={onTab}
      label={t("detail.label")}
      after={after}
      tabs={[
        {
          value: "pretty",
          label: t("detail.pretty"),
          // Each tab has its own hits.
          content: !isRaw && (
            <div className="px-5 py-4">
              {row && saying && <OwnWords row={row} saying={saying} />}
              {row?.kind === "stderr" && <StderrWords />}
              {row?.kind === "frame" && <MessageWords row={row} text={body ?? row.preview} />}
              {row && (
                <Facts row={row} saying={saying} body={body ?? ""} partner={partner} cancelled={cancelledOf(row)} onPartner={onPartner} />
              )}
              {error && (
                <ErrorNotice className="mt-4" title={t("detail.failed")} {...errorWords(error)}>
                  <RetryLink onClick={() => void refetch()} />
                </ErrorNotice>
              )}
              {row && body === undefined && !error && (
                <div className="-mx-4">
                  <Skeleton rows={4} />
                </div>
              )}
              {needle === "" && sides}
              {row && body !== undefined && (
                <Hit text={tree} hits={hits}>
                  <Body row={row} body={tree} cut={cut} saying={saying} hit={hits.hit} />
                </Hit>
              )}
              {needle !== "" && sides}
              {row !== null && row.call === null && partner !== null && <PartnerMessage row={partner} />}
              {row && <ExactFacts row={row} saying={saying} body={body ?? ""} />}
            </div>
          ),
        },
        {
          value: "raw",
          label: t("detail.raw"),
          content: isRaw && (
            <div className="px-5 py-4">
              {body !== undefined && (
                <Hit text={body} hits={hits}>
                  <Exact text={body} hit={hits.hit} />
                </Hit>
              )}
            </div>
          ),
        },
      ]}
    />
  );
}

function RetryLink({ onClick }: { onClick: () => void }) {
  const { t } = useTranslation();
  return (
    <button type="button" onClick={onClick} className="rounded-xs font-medium text-accent hover:underline">
      {t("tryAgain")}
    </button>
  );
}

/** How the body of a row is shown in the formatted view. */
function shapeOf(row: LogRow, body: string, saying: Saying | null): Shape {
  if (body === "") return "none";
  if (row.kind === "stderr" || saying?.about === "noise") return "text";
  return saying === null || tellsMore(body, saying) ? "json" : "none";
}

interface BodyProps {
  row: LogRow;
  body: string;
  /** Whether the body is truncated. */
  cut: boolean;
  saying: Saying | null;
  hit: TextHit | null;
}

/** The body: a server's text in its frame, a message as a tree. */
function Body({ row, body, cut, saying, hit }: BodyProps) {
  const { t } = useTranslation("activity");
  if (body === "")
    return (
      <Section title={t("detail.body")}>
        <p className="m-0 text-fg-3">{t("detail.empty")}</p>
      </Section>
    );
  if (row.kind === "stderr") return <Words row={row} says={t("detail.onStderr")} text={body} hit={hit} />;
  if (saying?.about === "noise")
    return appOf(row) === null ? (
      <Words row={row} says={t("detail.onStdout")} text={body} hit={hit} />
    ) : (
      <Section title={t("detail.body")}>
        <Exact text={body} hit={hit} />
      </Section>
    );
  if (saying)
    return shapeOf(row, body, saying) === "none" ? null : (
      <Section title={t("detail.record")}>
        <Box>
          <JsonTree text={body} hit={hit} />
        </Box>
      </Section>
    );
  return <Message row={row} body={body} cut={cut} hit={hit} />;
}

/** Lines that a server printed, under its name. */
function Words({ row, says, text, hit }: { row: LogRow; says: string; text: string; hit: TextHit | null }) {
  return (
    <TheirVoice server={row.source} says={says} tall className="mt-6">
      <span className="mono leading-[19px]">
        <HitText text={text} hit={hit} />
      </span>
    </TheirVoice>
  );
}
