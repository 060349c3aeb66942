import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { hexRow } from "./hex";

const ROW = 19;
/** The width from which a row has sixteen bytes instead of eight (px). */
const WIDE = 590;

/** A hex view for any number of bytes. Only visible rows are drawn. */
export function HexView({ bytes, label }: { bytes: Uint8Array<ArrayBuffer>; label: string }) {
  // The virtualizer returns the same object with different contents, so nothing here may be memoized by identity.
  "use no memo";
  const { t } = useTranslation("workbench");
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(8);
  useEffect(() => {
    if (!box.current) return;
    const watch = new ResizeObserver(([entry]) => setWidth((entry?.contentRect.width ?? 0) >= WIDE ? 16 : 8));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const count = Math.ceil(bytes.length / width);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 20,
    useFlushSync: false,
  });
  if (bytes.length === 0) return <p className="m-0 px-3 py-2.5 text-fg-3">{t("result.noBytes")}</p>;
  return (
    <div
      ref={box}
      role="region"
      aria-label={label}
      // It scrolls, so it must be reachable with the keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="mono selectable inset-focus overflow-auto px-3 py-2"
      style={{ height: Math.min(count * ROW + 16, 320) }}
    >
      <div className="relative min-w-fit" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const row = hexRow(bytes, item.index, width);
          return (
            <div
              key={item.key}
              className="absolute inset-x-0 top-0 flex gap-4 leading-[19px] whitespace-pre"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <span className="text-fg-3">{row.place}</span>
              <span>{row.bytes}</span>
              <span className="text-fg-2">{row.letters}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}
