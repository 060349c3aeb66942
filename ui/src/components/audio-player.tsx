import { Pause, Play } from "lucide-react";
import { Slider } from "radix-ui";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "./button";
import { useBytesAsSource } from "@/lib/use-bytes-as-source";

/** Minutes and seconds, with tenths if the sound is shorter than ten seconds. */
function clock(seconds: number, short: boolean): string {
  const whole = Math.floor(seconds);
  const rest = `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  return short ? `${rest}.${Math.floor((seconds - whole) * 10)}` : rest;
}

function moveTo(audio: HTMLAudioElement | null, seconds: number): void {
  if (audio) audio.currentTime = seconds;
}

/**
 * An audio player with our own controls: the system's differ on every desktop and ignore the theme. The sound is only
 * loaded when it is played, because WebKitGTK keeps a dozen threads for each loaded one.
 */
export function AudioPlayer({
  bytes,
  mime,
  label,
  onBroken,
}: {
  bytes: Uint8Array<ArrayBuffer>;
  mime: string;
  label: string;
  onBroken: () => void;
}) {
  const element = useBytesAsSource<HTMLAudioElement>(bytes, mime);
  const { t } = useTranslation("workbench");
  const [playing, setPlaying] = useState(false);
  const [at, setAt] = useState(0);
  const [length, setLength] = useState(Number.NaN);
  const short = length < 10;
  // A loaded sound has a decoder with threads, which only end with its source.
  useEffect(() => {
    const audio = element.current;
    return () => {
      if (!audio || audio.readyState === HTMLMediaElement.HAVE_NOTHING) return;
      audio.removeAttribute("src");
      audio.load();
    };
  }, [element]);
  const toggle = () => {
    const audio = element.current;
    if (!audio) return;
    if (audio.paused) audio.play().catch(() => setPlaying(false));
    else audio.pause();
  };
  const seek = (seconds: number) => {
    setAt(seconds);
    moveTo(element.current, seconds);
  };
  return (
    <div role="group" aria-label={label} className="flex h-11 items-center gap-2.5 px-2.5">
      {/* A tool's sound has no captions. */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      <audio
        ref={element}
        preload="none"
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setPlaying(false)}
        onTimeUpdate={(event) => setAt(event.currentTarget.currentTime)}
        onDurationChange={(event) => setLength(event.currentTarget.duration)}
        onError={onBroken}
        className="hidden"
      />
      <IconButton icon={playing ? Pause : Play} label={t(playing ? "audio.pause" : "audio.play")} onClick={toggle} />
      <Slider.Root
        value={[Math.min(at, Number.isFinite(length) ? length : at)]}
        max={Number.isFinite(length) && length > 0 ? length : 1}
        step={0.05}
        disabled={!Number.isFinite(length)}
        onValueChange={([next]) => next !== undefined && seek(next)}
        className="relative flex h-5 min-w-0 flex-1 touch-none items-center"
      >
        <Slider.Track className="relative h-1 flex-1 rounded-full bg-line-strong">
          <Slider.Range className="absolute h-full rounded-full bg-accent" />
        </Slider.Track>
        <Slider.Thumb aria-label={t("audio.position")} className="block size-3 rounded-full bg-accent" />
      </Slider.Root>
      <span className="shrink-0 text-sm text-fg-3 tabular">
        {clock(at, short)}
        {Number.isFinite(length) && ` / ${clock(length, short)}`}
      </span>
    </div>
  );
}
