import { AudioLines, Image as Picture } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatBytes } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { AudioPlayer } from "./audio-player";
import { BlockCard } from "./block-card";
import type { BlockNotes } from "./read-result";

/** Gives an element the bytes as its source, under an address that only this page can read and only while it is shown. */
function useBytesAsSource<E extends HTMLImageElement | HTMLAudioElement>(bytes: Uint8Array<ArrayBuffer>, mime: string): RefObject<E | null> {
  const element = useRef<E>(null);
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([bytes], { type: mime }));
    if (element.current) element.current.src = url;
    return () => URL.revokeObjectURL(url);
  }, [bytes, mime]);
  return element;
}

/** A picture or a sound of a listed kind, from its own bytes. */
export function MediaBlock({ kind, name, mime, bytes, notes, server }: {
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
    <BlockCard icon={kind === "image" ? Picture : AudioLines} kind={t(`result.kind.${kind}`)} details={details} notes={notes}>
      {broken ? (
        <p className="m-0 px-3 py-2.5 text-fg-2">{t(`result.broken.${kind}`, { name })}</p>
      ) : kind === "image" ? (
        <div className="grid min-h-16 place-items-center bg-canvas p-3">
          <ImageOf bytes={bytes} mime={mime} alt={from} onSize={setSize} onBroken={() => setBroken(true)} />
        </div>
      ) : (
        <AudioOf bytes={bytes} mime={mime} label={from} onBroken={() => setBroken(true)} />
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
      className="max-h-[min(60vh,640px)] max-w-full rounded-xs object-contain"
    />
  );
}

function AudioOf({ bytes, mime, label, onBroken }: SourceProps & { label: string }) {
  const element = useBytesAsSource<HTMLAudioElement>(bytes, mime);
  return <AudioPlayer element={element} label={label} onBroken={onBroken} />;
}
