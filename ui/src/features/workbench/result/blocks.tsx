import { Code, ExternalLink, FileText, Link2, Package, ShieldQuestion } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { CopyButton } from "@/components/code-block";
import { JsonTree } from "@/components/json-tree";
import { UntrustedText } from "@/components/their-voice";
import { SegmentedControl } from "@/components/toggles";
import { formatBytes, formatCount } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { BlockCard } from "./block-card";
import { decodeBase64, decodeText, isTextMime, mediaName, plainMime } from "./media";
import { MediaBlock } from "./media-block";
import type { Block, BlockNotes } from "./read-result";
import { countLines } from "./rows";
import { TextView } from "./text-view";

/** One block of a result, of whatever kind. */
export function BlockView({ block, server }: { block: Block; server: string }) {
  const { t } = useTranslation("workbench");
  switch (block.kind) {
    case "text":
      return <TextBlock text={block.text} notes={block.notes} kind={t("result.kind.text")} />;
    case "image":
    case "audio":
      return <MediaOrNot kind={block.kind} mime={block.mime} data={block.data} notes={block.notes} server={server} />;
    case "link":
      return <LinkBlock block={block} />;
    case "resource":
      return <ResourceBlock block={block} server={server} />;
    case "unknown":
      return (
        <BlockCard icon={ShieldQuestion} kind={t("result.kind.unknown")} details={block.type === null ? t("result.noType") : visibleLine(block.type).slice(0, 60)} notes={null} actions={<CopyButton text={block.raw} />}>
          <div className="px-3 py-2.5"><JsonTree text={block.raw} /></div>
        </BlockCard>
      );
  }
}

const looksAligned = (text: string) => /^[ \t]+\S|\S {2,}\S|\t/m.test(text.slice(0, 4_000));
const looksJson = (text: string) => text.length <= 1_000_000 && /^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text);

/** Text with its white space. JSON on one line is unfolded; as it was sent is one click away. */
function TextBlock({ text, notes, kind, details }: { text: string; notes: BlockNotes | null; kind: string; details?: string }) {
  const { t, i18n } = useTranslation("workbench");
  const json = looksJson(text);
  const [asTree, setAsTree] = useState(json && !text.trim().includes("\n"));
  const [mono, setMono] = useState(json || looksAligned(text));
  const lines = countLines(text);
  return (
    <BlockCard
      icon={FileText}
      kind={kind}
      notes={notes}
      details={details ?? (lines > 1 ? t("result.lines", { count: lines, shown: formatCount(lines, i18n.language) }) : t("result.characters", { count: text.length, shown: formatCount(text.length, i18n.language) }))}
      actions={
        <>
          {json && (
            <SegmentedControl
              label={t("result.view")}
              value={asTree ? "tree" : "text"}
              options={[{ value: "tree", label: t("result.tree") }, { value: "text", label: t("result.asSent") }]}
              onChange={(next) => setAsTree(next === "tree")}
              className="h-6! text-xs"
            />
          )}
          {!asTree && <IconButton small icon={Code} label={t("result.mono")} aria-pressed={mono} onClick={() => setMono(!mono)} />}
          <CopyButton text={text} />
        </>
      }
    >
      {text === "" ? <p className="m-0 px-3 py-2.5 text-fg-3">{t("result.emptyText")}</p> : asTree ? <div className="px-2 py-2.5"><JsonTree text={text} /></div> : <TextView text={text} label={kind} mono={mono} />}
    </BlockCard>
  );
}

function MediaOrNot({ kind, mime, data, notes, server }: { kind: "image" | "audio"; mime: string | null; data: string; notes: BlockNotes | null; server: string }) {
  const { t, i18n } = useTranslation("workbench");
  const name = mediaName(kind, mime);
  const bytes = decodeBase64(data);
  if (bytes !== null && name !== null) return <MediaBlock kind={kind} name={name} mime={plainMime(mime)} bytes={bytes} notes={notes} server={server} />;
  const written = mime === null ? t("result.noMime") : visibleLine(mime).slice(0, 60);
  // A picture that could carry code (SVG) is shown as the text it is.
  const text = bytes !== null && isTextMime(mime) ? decodeText(bytes) : null;
  if (text !== null) return <TextBlock text={text} notes={notes} kind={t("result.kind.shownAsText")} details={written} />;
  return (
    <BlockCard icon={ShieldQuestion} kind={t(`result.kind.${kind}`)} details={written} notes={notes} actions={<CopyButton text={data} label={t("result.copyData")} />}>
      <p className="m-0 px-3 py-2.5 text-fg-2">
        {bytes === null ? t("result.notBase64") : t("result.notShown", { size: formatBytes(bytes.length, i18n.language) })}
      </p>
    </BlockCard>
  );
}

function LinkBlock({ block }: { block: Extract<Block, { kind: "link" }> }) {
  const { t, i18n } = useTranslation("workbench");
  const details = [block.mime === null ? null : visibleLine(block.mime).slice(0, 60), block.size === null ? null : formatBytes(block.size, i18n.language)].filter((part) => part !== null).join(" · ");
  const title = block.title ?? block.name;
  return (
    <BlockCard icon={Link2} kind={t("result.kind.link")} details={details} notes={block.notes} actions={<CopyButton text={block.uri} label={t("result.copyAddress")} />}>
      <div className="flex gap-2.5 px-3 py-2.5">
        <ExternalLink aria-hidden size={16} className="mt-0.5 shrink-0 text-fg-3" />
        <div className="selectable min-w-0">
          {title !== null && <p className="m-0 font-[580] wrap-any"><UntrustedText text={title} /></p>}
          <p className="mono m-0 wrap-any text-fg-2"><UntrustedText text={block.uri} /></p>
          {block.description !== null && <p className="mt-1 mb-0 whitespace-pre-wrap wrap-any text-fg-2"><UntrustedText text={block.description} /></p>}
        </div>
      </div>
    </BlockCard>
  );
}

function ResourceBlock({ block, server }: { block: Extract<Block, { kind: "resource" }>; server: string }) {
  const { t, i18n } = useTranslation("workbench");
  const address = visibleLine(block.uri);
  if (block.text !== null) return <TextBlock text={block.text} notes={block.notes} kind={t("result.kind.resource")} details={block.mime === null ? address : `${address} · ${visibleLine(block.mime).slice(0, 60)}`} />;
  const data = block.blob ?? "";
  for (const kind of ["image", "audio"] as const) {
    if (mediaName(kind, block.mime) !== null) return <MediaOrNot kind={kind} mime={block.mime} data={data} notes={block.notes} server={server} />;
  }
  const bytes = decodeBase64(data);
  const text = bytes !== null && isTextMime(block.mime) ? decodeText(bytes) : null;
  if (text !== null) return <TextBlock text={text} notes={block.notes} kind={t("result.kind.resource")} details={address} />;
  return (
    <BlockCard icon={Package} kind={t("result.kind.resource")} details={block.mime === null ? t("result.noMime") : visibleLine(block.mime).slice(0, 60)} notes={block.notes} actions={<CopyButton text={data} label={t("result.copyData")} />}>
      <div className="px-3 py-2.5">
        <p className="mono selectable m-0 wrap-any"><UntrustedText text={block.uri} /></p>
        <p className="mt-1 mb-0 text-fg-2">{bytes === null ? t("result.notBase64") : t("result.binary", { size: formatBytes(bytes.length, i18n.language) })}</p>
      </div>
    </BlockCard>
  );
}
