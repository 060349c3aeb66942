import { type ReactNode, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useNeedle } from "@/components/marked";
import { UntrustedText } from "@/components/their-voice";
import { placeOf } from "@/lib/needle";
import { visibleLine } from "@/lib/untrusted";
import { excerpt } from "../list/describe";
import { placeIn } from "./place";
import type { Hits } from "./use-hits";

/** How many characters around a hit are quoted. */
const QUOTED = 480;

/** A text shown by its children, scrolled to the current hit. If they don't show the hit, it is quoted above. */
export function Hit({ text, hits, children }: { text: string; hits: Hits; children: ReactNode }) {
  const needle = useNeedle();
  // Which levels are open is decided when it is first drawn.
  return (
    <Shown key={needle} text={text} needle={needle} hits={hits}>
      {children}
    </Shown>
  );
}

function Shown({ text, needle, hits: { count, hit }, children }: { text: string; needle: string; hits: Hits; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (hit !== null) bring(box.current, "[data-hit]");
  }, [hit]);
  return (
    <div ref={box}>
      {count === 0 && placeOf(text, needle) !== -1 && <Quote text={text} needle={needle} />}
      {children}
    </div>
  );
}

const bring = (box: HTMLElement | null, what: string) => box?.querySelector(what)?.scrollIntoView({ block: "center" });

const intoSight = (section: HTMLElement | null) => bring(section, "mark");

function Quote({ text, needle }: { text: string; needle: string }) {
  const { t } = useTranslation("activity");
  const { path, around } = placeIn(text, needle);
  return (
    <section ref={intoSight} aria-label={t("detail.match")}>
      <h2 className="mt-4.5 mb-2 text-md font-semibold">{t("detail.match")}</h2>
      {path !== "" && <p className="mono mt-0 mb-1.5 text-fg-3 wrap-any">{visibleLine(path)}</p>}
      <div className="mono selectable rounded-m border border-line bg-sunken px-3 py-2 leading-[19px] whitespace-pre-wrap wrap-any">
        <UntrustedText text={excerpt(around, QUOTED, needle)} />
      </div>
    </section>
  );
}
