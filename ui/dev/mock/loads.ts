// What the mock's local servers cost: one is busy, and the others do little.
import type { Load } from "@/ipc/bindings/Load";
import type { LoadPoint } from "@/ipc/bindings/LoadPoint";

const PART_MS = 30_000;
const MIB = 1 << 20;

/** The load of a server this many parts ago. */
export function loadAt(id: number, ago: number): Load {
  const wave = 1 + Math.sin(id * 3 + ago / 7) * 0.4 + Math.sin(ago * 1.7) * 0.15;
  const isBusy = id % 5 === 1 && ago < 30;
  return {
    cpuPercent: (isBusy ? 62 : 0.4 + (id % 3)) * wave,
    memoryBytes: Math.round((40 + (id % 4) * 35) * MIB * (1 + (120 - ago) / 600)),
    processes: 1 + (id % 3),
  };
}

export const hourOf = (id: number): LoadPoint[] =>
  Array.from({ length: 120 }, (_, index) => ({ at: Date.now() - (119 - index) * PART_MS, load: loadAt(id, 119 - index) }));
