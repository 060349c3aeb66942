import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import { UntrustedText } from "@/components/their-voice";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { formatMs } from "@/lib/format";
import { sentence } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import { shownAddressOf } from "@/lib/server-address";
import { offersOf } from "./offers";

/** The facts about the connection, one per line. */
export function Facts({ server }: { server: ServerView }) {
  const { t, i18n } = useTranslation("servers");
  const { capabilities, revision, reason, programPath, pid, connectMs } = server;
  const itself = [server.serverTitle, server.serverName, server.serverVersion].filter((part) => part !== null && part !== "");
  const offers =
    capabilities === null
      ? null
      : offersOf(capabilities, { tools: server.toolCount, resources: server.resourceCount, prompts: server.promptCount }, t, i18n.language);
  return (
    <dl className="m-0 grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-1.75">
      <Fact name={server.transport === "stdio" ? t("fact.command") : t("fact.address")} code>
        <UntrustedText text={shownAddressOf(server)} />
      </Fact>
      {programPath !== null && (
        <Fact name={t("fact.program")} code>
          <UntrustedText text={programPath} />
        </Fact>
      )}
      {pid !== null && (
        <Fact name={t("fact.process")} code>
          {pid}
        </Fact>
      )}
      {revision !== null && (
        <Fact name={t("fact.revision")}>
          <span className="mono">{visibleLine(revision)}</span>{" "}
          {server.negotiatedEra !== null && <Chip>{eraWord(server.negotiatedEra, t)}</Chip>}
        </Fact>
      )}
      {revision !== null && (
        <Fact name={t("fact.transport")}>
          <span className="text-fg-2">{t(`wire.${wireOf(server)}`)}</span>
        </Fact>
      )}
      {reason !== null && (
        <Fact name={t("fact.why")}>
          <span className="text-fg-2">
            <Reason text={sentence(reason, i18n.language)} />
          </span>
        </Fact>
      )}
      {connectMs !== null && (
        <Fact name={t("fact.connected")}>
          <span className="text-fg-2">{t("fact.connectedIn", { time: formatMs(connectMs, i18n.language) })}</span>
        </Fact>
      )}
      {itself.length > 0 && (
        <Fact name={t("fact.itself")}>
          <bdi className="text-fg-2">{itself.map((part) => visibleLine(part ?? "")).join(" · ")}</bdi>
        </Fact>
      )}
      {server.diagnostics.length > 0 && (
        <Fact name={t("diagnostics.title")}>
          <span className="text-fg-2 tabular">{server.diagnostics.length}</span>
        </Fact>
      )}
      {offers !== null && (
        <Fact name={t("fact.offers")}>
          <span className="text-fg-2">{offers}</span>
        </Fact>
      )}
    </dl>
  );
}

/** A sentence whose dates don't break across lines. */
function Reason({ text }: { text: string }) {
  return text.split(/(\d{4}-\d{2}-\d{2})/).map((part, index) => (
    <span key={index} className={index % 2 === 1 ? "whitespace-nowrap" : undefined}>
      {part}
    </span>
  ));
}

/** The wire protocol of the connection, one of four. */
function wireOf({ transport, negotiatedEra }: ServerView): "stdio" | "stateless" | "session" | "sse" {
  if (transport === "stdio") return "stdio";
  return negotiatedEra === "modern" ? "stateless" : negotiatedEra === "sse" ? "sse" : "session";
}

function eraWord(era: string, t: ReturnType<typeof useTranslation<"servers">>["t"]): string {
  const known = (["modern", "session", "sse"] as const).find((item) => item === era);
  return known === undefined ? visibleLine(era) : t(`era.${known}`);
}

function Fact({ name, code = false, children }: { name: string; code?: boolean; children: ReactNode }) {
  return (
    <>
      <dt className="text-fg-3">{name}</dt>
      <dd className={code ? "mono m-0 min-w-0 pt-px wrap-any" : "m-0 min-w-0 wrap-any"}>{children}</dd>
    </>
  );
}
