import { Copy } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { CopyButton } from "@/components/code-block";
import { Menu } from "@/components/menu";
import { formatBytes } from "@/lib/format";
import { languageOf } from "@/lib/highlight";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { offerIcon } from "@/components/offer-icon";
import { BlockCard } from "./block-card";
import { hexText, signOf } from "./hex";
import { HexView } from "./hex-view";
import { decodeBase64, decodeText, encodeBase64, isTextMime, mediaName, plainMime } from "@/lib/media";
import { extensionOf } from "@/lib/save-file";
import { MediaOrNot } from "./media-or-not";
import type { Block } from "./read-result";
import { SaveButton } from "./save-button";
import { TextBlock } from "./text-block";

export type Content = Extract<Block, { kind: "resource" }>;

/** How many bytes are copied as hexadecimal text. */
const HEX_COPIED = 64 * 1024;

/** The content of a resource: highlighted text, a JSON tree, an image, a sound, or bytes. */
export function ContentBlock({
  content,
  kind,
  server,
  named,
}: {
  content: Content;
  kind: string;
  server: string;
  /** Whether its URI is part of the heading. */
  named: boolean;
}) {
  const { i18n } = useTranslation("workbench");
  const { uri, mime, text, notes } = content;
  const icon = offerIcon("resource", mime);
  const heading = (size: number | null) =>
    [
      named ? visibleLine(uri) : null,
      mime === null ? null : visibleLine(mime).slice(0, 60),
      size === null ? null : formatBytes(size, i18n.language),
    ]
      .filter((part) => part !== null)
      .join(" · ");
  if (text !== null)
    return (
      <TextBlock
        text={text}
        notes={notes}
        kind={kind}
        icon={icon}
        details={heading(new Blob([text]).size)}
        language={languageOf(mime, uri)}
        file={{ name: uri, mime }}
      />
    );
  const data = content.blob ?? "";
  for (const media of ["image", "audio"] as const) {
    if (mediaName(media, mime) !== null) return <MediaOrNot kind={media} mime={mime} data={data} notes={notes} server={server} />;
  }
  const bytes = decodeBase64(data);
  const decoded = bytes !== null && isTextMime(mime) ? decodeText(bytes) : null;
  if (bytes !== null && decoded !== null)
    return (
      <TextBlock
        text={decoded}
        notes={notes}
        kind={kind}
        icon={icon}
        details={heading(bytes.length)}
        language={languageOf(mime, uri)}
        file={{ name: uri, mime }}
      />
    );
  return bytes === null ? (
    <NotBase64 content={content} kind={kind} details={heading(null)} data={data} />
  ) : (
    <Bytes content={content} kind={kind} details={heading(bytes.length)} bytes={bytes} data={data} />
  );
}

function NotBase64({ content, kind, details, data }: { content: Content; kind: string; details: string; data: string }) {
  const { t } = useTranslation("workbench");
  return (
    <BlockCard
      icon={offerIcon("resource", content.mime)}
      kind={kind}
      details={details}
      notes={content.notes}
      actions={<CopyButton text={data} label={t("result.copyData")} />}
    >
      <p className="m-0 px-3 py-2.5 text-fg-2">{t("result.notBase64")}</p>
    </BlockCard>
  );
}

function Bytes({
  content,
  kind,
  details,
  bytes,
  data,
}: {
  content: Content;
  kind: string;
  details: string;
  bytes: Uint8Array<ArrayBuffer>;
  data: string;
}) {
  const { t, i18n } = useTranslation("workbench");
  const sign = signOf(bytes);
  const copy = async (text: string, said: string) => {
    await navigator.clipboard.writeText(text);
    toast({ text: said });
  };
  const part =
    bytes.length > HEX_COPIED ? t("result.copiedHexPart", { size: formatBytes(HEX_COPIED, i18n.language) }) : t("result.copiedHex");
  return (
    <BlockCard
      icon={offerIcon("resource", content.mime)}
      kind={kind}
      details={details}
      notes={content.notes}
      actions={
        <>
          <Menu
            items={[
              { label: t("result.copyBase64"), icon: Copy, onSelect: () => void copy(data, t("result.copiedBase64")) },
              { label: t("result.copyHex"), icon: Copy, onSelect: () => void copy(hexText(bytes.subarray(0, HEX_COPIED), 16), part) },
            ]}
          >
            <IconButton small icon={Copy} label={t("result.copyData")} />
          </Menu>
          <SaveButton
            content={() => ({ base64: encodeBase64(bytes) })}
            extension={extensionOf(plainMime(content.mime), "bin")}
            name={content.uri}
          />
        </>
      }
    >
      {sign !== null && <p className="m-0 border-b border-line px-3 py-1.5 text-sm text-fg-2">{t("result.sign", { kind: sign })}</p>}
      <HexView bytes={bytes} label={t("result.bytesOf", { size: formatBytes(bytes.length, i18n.language) })} />
    </BlockCard>
  );
}
