import { AudioLines, ChevronRight, CornerDownRight, Image as Picture, ShieldQuestion, Wrench } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { AudioPlayer } from "@/components/audio-player";
import { GrowingInput } from "@/components/input";
import { Icon } from "@/components/icon";
import { Quoted, UntrustedText } from "@/components/their-voice";
import { formatBytes } from "@/lib/format";
import { decodeBase64, mediaName, plainMime } from "@/lib/media";
import { useBytesAsSource } from "@/lib/use-bytes-as-source";
import { readBlock, withText } from "./blocks";
import { LongJson } from "./long-json";

/** A block of a conversation. Its text can be edited if `onChange` is set. */
export function BlockView({
  raw,
  label,
  folded = false,
  onChange,
}: {
  raw: string;
  label: string;
  /** Shows a tool call or its result as one line that expands. */
  folded?: boolean;
  onChange?: ((raw: string) => void) | undefined;
}) {
  const { t } = useTranslation("inbox");
  const block = readBlock(raw);
  switch (block.kind) {
    case "text":
      if (onChange)
        return (
          <GrowingInput
            aria-label={label}
            value={block.text}
            onChange={(event) => onChange(withText(raw, event.currentTarget.value))}
            className="font-ui! text-md!"
          />
        );
      return (
        <p className="selectable m-0 whitespace-pre-wrap wrap-any">
          <UntrustedText text={block.text} />
        </p>
      );
    case "image":
    case "audio":
      return <Media kind={block.kind} mime={block.mime} data={block.data} />;
    case "tool_use":
      return (
        <Machine
          icon={Wrench}
          folded={folded}
          title={
            <>
              {t("sampling.toolUse")} <Quoted text={block.name} />
            </>
          }
          json={block.rest}
        />
      );
    case "tool_result":
      return (
        <Machine
          icon={CornerDownRight}
          folded={folded}
          title={t(block.error ? "sampling.toolFailed" : "sampling.toolResult")}
          json={block.rest}
        />
      );
    case "unknown":
      return <Machine icon={ShieldQuestion} folded={false} title={t("sampling.unknown")} json={block.raw} />;
  }
}

function Machine({ icon, title, json, folded }: { icon: typeof Wrench; title: ReactNode; json: string; folded: boolean }) {
  const { i18n } = useTranslation();
  const text = (
    <pre className="selectable m-0 mt-1 rounded-s border border-line bg-surface px-2.5 py-2 leading-[19px] whitespace-pre-wrap wrap-any">
      <LongJson text={json} />
    </pre>
  );
  const line = (
    <>
      <Icon of={icon} size={12} className="shrink-0" />
      <span className="min-w-0 wrap-any">{title}</span>
    </>
  );
  if (!folded)
    return (
      <div>
        <span className="flex items-center gap-1.5 text-sm font-medium text-fg-2">{line}</span>
        {text}
      </div>
    );
  return (
    <details className="group/machine">
      <summary className="flex list-none items-center gap-1.5 rounded-xs text-sm font-medium text-fg-2 hover:text-fg">
        {line}
        <span className="shrink-0 font-normal text-fg-3 tabular">{formatBytes(new Blob([json]).size, i18n.language)}</span>
        <Icon of={ChevronRight} size={12} className="shrink-0 text-fg-3 transition-transform group-open/machine:rotate-90" />
      </summary>
      {text}
    </details>
  );
}

/** An image or a sound of a supported type, from its own bytes. Others are only named. */
function Media({ kind, mime, data }: { kind: "image" | "audio"; mime: string | null; data: string }) {
  const { t, i18n } = useTranslation("inbox");
  const [broken, setBroken] = useState(false);
  const [bytes] = useState(() => decodeBase64(data));
  const name = mediaName(kind, mime);
  const size = formatBytes(bytes?.length ?? data.length, i18n.language);
  if (bytes === null || name === null || broken)
    return (
      <p className="m-0 flex items-center gap-1.5 text-fg-2">
        <Icon of={ShieldQuestion} />
        {t(`sampling.notShown.${kind}`, { size })}
      </p>
    );
  return (
    <figure className="m-0">
      <figcaption className="mb-1 flex items-center gap-1.5 text-sm text-fg-3">
        <Icon of={kind === "image" ? Picture : AudioLines} size={12} />
        {`${name} · ${size}`}
      </figcaption>
      {kind === "image" ? (
        <ImageOf bytes={bytes} mime={plainMime(mime)} alt={t("sampling.image")} onBroken={() => setBroken(true)} />
      ) : (
        <AudioPlayer bytes={bytes} mime={plainMime(mime)} label={t("sampling.sound")} onBroken={() => setBroken(true)} />
      )}
    </figure>
  );
}

function ImageOf({ bytes, mime, alt, onBroken }: { bytes: Uint8Array<ArrayBuffer>; mime: string; alt: string; onBroken: () => void }) {
  const element = useBytesAsSource<HTMLImageElement>(bytes, mime);
  return (
    <img
      ref={element}
      alt={alt}
      draggable={false}
      onError={onBroken}
      className="max-h-60 min-h-4 max-w-full rounded-xs border border-line object-contain"
    />
  );
}
