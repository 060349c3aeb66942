import type { Glyph } from "./describe";

/** Whether a line is expanded. */
type Chevron = "closed" | "open";

/** Lucide's icons as one path each, so that in a flood a row only changes an attribute instead of replacing an icon. */
const shapes: Record<Glyph | Chevron, string> = {
  out: "M5 12h14m-7-7 7 7-7 7",
  in: "m12 19-7-7 7-7m7 7H5",
  from_app: "M17 12H3m8 6 6-6-6-6m10-1v14",
  to_app: "M7 12h14m-8-6-6 6 6 6M3 5v14",
  exchange: "m16 3 4 4-4 4m4-4H4m4 14-4-4 4-4m-4 4h16",
  closed: "m9 18 6-6-6-6",
  open: "m6 9 6 6 6-6",
  stderr: "m4 17 6-6-6-6m8 14h8",
  allowed:
    "M20 13c0 5-3.5 7.5-7.66 8.95a1 1 0 0 1-.67-.01C7.5 20.5 4 18 4 13V6a1 1 0 0 1 1-1c2 0 4.5-1.2 6.24-2.72a1.17 1.17 0 0 1 1.52 0C14.51 3.81 17 5 19 5a1 1 0 0 1 1 1zM9 12l2 2 4-4",
  denied:
    "M20 13c0 5-3.5 7.5-7.66 8.95a1 1 0 0 1-.67-.01C7.5 20.5 4 18 4 13V6a1 1 0 0 1 1-1c2 0 4.5-1.2 6.24-2.72a1.17 1.17 0 0 1 1.52 0C14.51 3.81 17 5 19 5a1 1 0 0 1 1 1zM14.5 9.5l-5 5m0-5 5 5",
  state: "M2 12a10 10 0 1 0 20 0 10 10 0 1 0-20 0m9 0a1 1 0 1 0 2 0 1 1 0 1 0-2 0",
  trouble: "m21.73 18-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3M12 9v4m0 4h.01",
  key: "M2.586 17.414A2 2 0 0 0 2 18.828V21a1 1 0 0 0 1 1h3a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h1a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h.172a2 2 0 0 0 1.414-.586l.814-.814a6.5 6.5 0 1 0-4-4zM16.5 7.5h.01",
  gap: "M10.1 2.182a10 10 0 0 1 3.8 0m0 19.636a10 10 0 0 1-3.8 0m7.509-18.097a10 10 0 0 1 2.69 2.7M2.182 13.9a10 10 0 0 1 0-3.8m18.097 7.509a10 10 0 0 1-2.7 2.69M21.818 10.1a10 10 0 0 1 0 3.8M3.721 6.391a10 10 0 0 1 2.7-2.69m-.03 16.578a10 10 0 0 1-2.69-2.7",
};

export function GlyphMark({ glyph, size = 14 }: { glyph: Glyph | Chevron; size?: number }) {
  return (
    <svg
      aria-hidden
      focusable={false}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={shapes[glyph]} />
    </svg>
  );
}
