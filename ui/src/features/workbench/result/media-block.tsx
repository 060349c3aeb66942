import { AudioLines, Image as Picture } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatBytes } from "@/lib/format";
import { encodeBase64, plainMime } from "@/lib/media";
import { extensionOf } from "@/lib/save-file";
import { visibleLine } from "@/lib/untrusted";
import { AudioPlayer } from "@/components/audio-player";
import { BlockCard } from "./block-card";
import type { BlockNotes } from "./read-result";
import { SaveButton } from "./save-button";
import { useBytesAsSource } from "@/lib/use-bytes-as-source";

/** An image or a sound of a supported type, from its own bytes. */
export function MediaBlock({
  kind,
  name,
  mime,
  bytes,
  notes,
  server,
}: {
  kind: "image" | "audio";
  name: string;
  mime: string;
  bytes: Uint8Array<ArrayBuffer>;
  notes: BlockNotes | null;
  server: string;
}) {
  const { t, i18n } = useTranslation("workbench");
  const [size, setSize] = useState<string | null>(null);
  const [broken, setBroken] = useState(false);
  const details = [name, size, formatBytes(bytes.length, i18n.language)].filter((part) => part !== null).join(" · ");
  const from = t(`result.from.${kind}`, { server: visibleLine(server) });
  return (
    <BlockCard
      icon={kind === "image" ? Picture : AudioLines}
      kind={t(`result.kind.${kind}`)}
      details={details}
      notes={notes}
      actions={<SaveButton content={() => ({ base64: encodeBase64(bytes) })} extension={extensionOf(plainMime(mime), "bin")} />}
    >
      {broken ? (
        <p className="m-0 px-3 py-2.5 text-fg-2">{t(`result.broken.${kind}`, { name })}</p>
      ) : kind === "image" ? (
        <div className="grid min-h-16 place-items-center bg-canvas p-3">
          <ImageOf bytes={bytes} mime={mime} alt={from} onSize={setSize} onBroken={() => setBroken(true)} />
        </div>
      ) : (
        <AudioPlayer bytes={bytes} mime={mime} label={from} onBroken={() => setBroken(true)} />
      )}
    </BlockCard>
  );
}

interface SourceProps {
  bytes: Uint8Array<ArrayBuffer>;
  mime: string;
  onBroken: () => void;
}

function ImageOf({ bytes, mime, alt, onSize, onBroken }: SourceProps & { alt: string; onSize: (size: string) => void }) {
  const element = useBytesAsSource<HTMLImageElement>(bytes, mime);
  return (
    <img
      ref={element}
      alt={alt}
      draggable={false}
      onLoad={(event) => onSize(`${event.currentTarget.naturalWidth} × ${event.currentTarget.naturalHeight}`)}
      onError={onBroken}
      className="max-h-[max(220px,calc(100cqh-8.5rem))] max-w-full rounded-xs object-contain"
    />
  );
}
