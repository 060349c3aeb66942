import { BookOpen, ExternalLink, Link2, ShieldQuestion } from "lucide-react";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { CopyButton } from "@/components/code-block";
import { JsonTree } from "@/components/json-tree";
import { UntrustedText } from "@/components/their-voice";
import { formatBytes } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { ServerLinks } from "../resource/server-links";
import { BlockCard } from "./block-card";
import { ContentBlock } from "./content-block";
import { MediaOrNot } from "./media-or-not";
import type { Block } from "./read-result";
import { TextBlock } from "./text-block";

/** The server that a block came from. */
export interface Whose {
  readonly id: number;
  readonly name: string;
}

/** A block of a result of any type. */
export function BlockView({ block, server }: { block: Block; server: Whose }) {
  const { t } = useTranslation("workbench");
  switch (block.kind) {
    case "text":
      return <TextBlock text={block.text} notes={block.notes} kind={t("result.kind.text")} />;
    case "image":
    case "audio":
      return <MediaOrNot kind={block.kind} mime={block.mime} data={block.data} notes={block.notes} server={server.name} />;
    case "link":
      return <LinkBlock block={block} server={server} />;
    case "resource":
      return (
        <ServerLinks server={server.id} uri={block.uri}>
          <ContentBlock content={block} kind={t("result.kind.resource")} server={server.name} named />
        </ServerLinks>
      );
    case "unknown":
      return (
        <BlockCard
          icon={ShieldQuestion}
          kind={t("result.kind.unknown")}
          details={block.type === null ? t("result.noType") : visibleLine(block.type).slice(0, 60)}
          notes={null}
          actions={<CopyButton text={block.raw} />}
        >
          <div className="px-3 py-2.5">
            <JsonTree text={block.raw} />
          </div>
        </BlockCard>
      );
  }
}

/** A link is never followed automatically or opened on this computer. It can be read through its server. */
function LinkBlock({ block, server }: { block: Extract<Block, { kind: "link" }>; server: Whose }) {
  const { t, i18n } = useTranslation("workbench");
  const navigate = useNavigate();
  const details = [
    block.mime === null ? null : visibleLine(block.mime).slice(0, 60),
    block.size === null ? null : formatBytes(block.size, i18n.language),
  ]
    .filter((part) => part !== null)
    .join(" · ");
  const title = block.title ?? block.name;
  return (
    <BlockCard
      icon={Link2}
      kind={t("result.kind.link")}
      details={details}
      notes={block.notes}
      actions={
        <>
          <IconButton
            small
            icon={BookOpen}
            label={t("result.openResource")}
            onClick={() => void navigate({ to: "/workbench", search: { server: server.id, resource: block.uri } })}
          />
          <CopyButton text={block.uri} label={t("result.copyAddress")} />
        </>
      }
    >
      <div className="flex gap-2.5 px-3 py-2.5">
        <ExternalLink aria-hidden size={16} className="mt-0.5 shrink-0 text-fg-3" />
        <div className="selectable min-w-0">
          {title !== null && (
            <p className="m-0 font-[580] wrap-any">
              <UntrustedText text={title} />
            </p>
          )}
          <p className="mono m-0 wrap-any text-fg-2">
            <UntrustedText text={block.uri} />
          </p>
          {block.description !== null && (
            <p className="mt-1 mb-0 whitespace-pre-wrap wrap-any text-fg-2">
              <UntrustedText text={block.description} />
            </p>
          )}
        </div>
      </div>
    </BlockCard>
  );
}
