import { type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";
import { recall, remember } from "@/lib/remembered";

interface SplitProps {
  /** The key under which the size is saved. */
  id: string;
  /** Which side keeps its size. The other takes the rest. */
  fixed: "start" | "end";
  initial: number;
  min: number;
  max: number;
  /** What the divider resizes, for screen readers. */
  label: string;
  start: ReactNode;
  end: ReactNode;
}

/** The least room for a list, whatever the size of the pane (px). */
const LIST_ROOM = 260;

/** Two panes with a divider that moves by mouse or arrow keys. A double click resets it. */
export function Split({ id, fixed, initial, min, max, label, start, end }: SplitProps) {
  const clamp = (value: number) => Math.min(max, Math.max(min, Math.round(value)));
  const [size, setSize] = useState(() => clamp(Number(recall(`split.${id}`) ?? initial) || initial));
  const frame = useRef<HTMLDivElement>(null);
  const sign = fixed === "start" ? 1 : -1;

  const settle = (value: number) => {
    const next = clamp(value);
    setSize(next);
    remember(`split.${id}`, String(next));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.shiftKey ? 48 : 12;
    const moves: Record<string, number> = {
      ArrowLeft: size - step * sign,
      ArrowRight: size + step * sign,
      Home: fixed === "start" ? min : max,
      End: fixed === "start" ? max : min,
      Enter: initial,
    };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    settle(next);
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const box = frame.current?.getBoundingClientRect();
    if (!box || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    setSize(clamp(fixed === "start" ? event.clientX - box.left : box.right - event.clientX));
  };

  const kept = { flex: `0 1 ${size}px`, minWidth: Math.min(min, 220) } satisfies CSSProperties;
  const keptEnd = { ...kept, maxWidth: `calc(100% - ${LIST_ROOM}px)` } satisfies CSSProperties;
  return (
    <div ref={frame} className="flex min-h-0 min-w-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col" style={fixed === "start" ? kept : undefined}>
        {start}
      </div>
      {/* A movable separator is a control. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        role="separator"
        aria-orientation="vertical"
        aria-label={label}
        aria-valuenow={size}
        aria-valuemin={min}
        aria-valuemax={max}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={() => settle(size)}
        onDoubleClick={() => settle(initial)}
        className="group relative z-10 w-px shrink-0 cursor-col-resize touch-none bg-line outline-none focus-visible:bg-accent"
      >
        <span className="absolute inset-y-0 -left-1 w-2.25 transition-colors group-hover:bg-line/70 group-focus-visible:bg-accent/40 group-active:bg-accent/40" />
      </div>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col" style={fixed === "end" ? keptEnd : undefined}>
        {end}
      </div>
    </div>
  );
}
