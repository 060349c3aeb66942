import { ShieldQuestion } from "lucide-react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "@/components/code-block";
import { formatBytes } from "@/lib/format";
import { languageOf } from "@/lib/highlight";
import { visibleLine } from "@/lib/untrusted";
import { BlockCard } from "./block-card";
import { decodeBase64, decodeText, isTextMime, mediaName, plainMime } from "@/lib/media";
import { MediaBlock } from "./media-block";
import type { BlockNotes } from "./read-result";
import { TextBlock } from "./text-block";

/** An image or a sound of a supported type, or why it can't be shown. */
export function MediaOrNot({
  kind,
  mime,
  data,
  notes,
  server,
}: {
  kind: "image" | "audio";
  mime: string | null;
  data: string;
  notes: BlockNotes | null;
  server: string;
}) {
  const { t, i18n } = useTranslation("workbench");
  const name = mediaName(kind, mime);
  const bytes = decodeBase64(data);
  if (bytes !== null && name !== null)
    return <MediaBlock kind={kind} name={name} mime={plainMime(mime)} bytes={bytes} notes={notes} server={server} />;
  const written = mime === null ? t("result.noMime") : visibleLine(mime).slice(0, 60);
  // An image that could contain code (SVG) is shown as text.
  const text = bytes !== null && isTextMime(mime) ? decodeText(bytes) : null;
  if (text !== null)
    return <TextBlock text={text} notes={notes} kind={t("result.kind.shownAsText")} details={written} language={languageOf(mime, null)} />;
  return (
    <BlockCard
      icon={ShieldQuestion}
      kind={t(`result.kind.${kind}`)}
      details={written}
      notes={notes}
      actions={<CopyButton text={data} label={t("result.copyData")} />}
    >
      <p className="m-0 px-3 py-2.5 text-fg-2">
        {bytes === null ? t("result.notBase64") : t("result.notShown", { size: formatBytes(bytes.length, i18n.language) })}
      </p>
    </BlockCard>
  );
}
