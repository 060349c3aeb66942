import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { LoadPoint } from "@/ipc/bindings/LoadPoint";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { loadHour, loads } from "@/ipc/queries";
import { formatBytes, formatCount, formatPercent } from "@/lib/format";
import { useNow } from "@/lib/use-now";

const HOUR_MS = 3_600_000;
/** A longer pause between two parts is a gap in the line. */
const GAP_MS = 90_000;
/** The least top of the scale for the processor, so that an idle server's line stays at the bottom. */
const LEAST_PERCENT = 10;

/** What a local server costs now, and in the last hour. */
export function Load({ server }: { server: ServerView }) {
  const { t, i18n } = useTranslation("servers");
  const isLocal = server.transport === "stdio";
  const { data: all = [] } = useQuery({ ...loads(), enabled: isLocal });
  const { data: hour = [] } = useQuery({ ...loadHour(server.id), enabled: isLocal });
  const now = useNow(15_000);
  const load = all.find(({ id }) => id === server.id)?.load;
  if (load === undefined) return null;
  const percent = (value: number) => formatPercent(value, i18n.language);
  const bytes = (value: number) => formatBytes(value, i18n.language);
  return (
    <section aria-label={t("load.title")}>
      <h3 className="m-0 mb-1.5 font-semibold">{t("load.title")}</h3>
      <dl className="m-0 grid grid-cols-[repeat(auto-fit,minmax(108px,1fr))] gap-2">
        <Figure
          name={t("load.cpu")}
          value={percent(load.cpuPercent)}
          points={hour}
          now={now}
          of={cpuOf}
          least={LEAST_PERCENT}
          words={percent}
        />
        <Figure name={t("load.memory")} value={bytes(load.memoryBytes)} points={hour} now={now} of={memoryOf} words={bytes} />
        <Figure
          name={t("load.processes")}
          value={formatCount(load.processes, i18n.language)}
          points={hour}
          now={now}
          of={processesOf}
          least={4}
          words={(value) => formatCount(value, i18n.language)}
        />
      </dl>
    </section>
  );
}

const cpuOf = ({ load }: LoadPoint): number => load.cpuPercent;
const memoryOf = ({ load }: LoadPoint): number => load.memoryBytes;
const processesOf = ({ load }: LoadPoint): number => load.processes;

interface FigureProps {
  name: string;
  value: string;
  points: readonly LoadPoint[];
  now: number;
  of: (point: LoadPoint) => number;
  /** The least top of the scale. */
  least?: number;
  words: (value: number) => string;
}

/** A figure, and its line over the last hour. The greatest value is in words, so the line itself is decoration. */
function Figure({ name, value, points, now, of, least = 0, words }: FigureProps) {
  const { t } = useTranslation("servers");
  const greatest = Math.max(0, ...points.map(of));
  return (
    <div className="min-w-0 overflow-hidden rounded-m border border-line">
      <dt className="truncate px-3 pt-2 text-sm text-fg-2">{name}</dt>
      <dd className="m-0 px-3 font-semibold tabular">{value}</dd>
      <dd aria-hidden className="m-0 pt-1">
        <Line points={points} now={now} of={of} top={Math.max(least, greatest * 1.15)} />
      </dd>
      <dd className="m-0 px-3 pt-1 pb-1.5 text-xs text-fg-3 tabular">{t("load.greatest", { value: words(greatest) })}</dd>
    </div>
  );
}

function Line({ points, now, of, top }: { points: readonly LoadPoint[]; now: number; of: (point: LoadPoint) => number; top: number }) {
  const [width, height] = [120, 28];
  const path = points.map((point, index) => {
    const before = points[index - 1];
    const joined = before !== undefined && point.at - before.at < GAP_MS;
    const x = Math.max(0, width * (1 - (now - point.at) / HOUR_MS));
    const y = height - 1 - (top === 0 ? 0 : (of(point) / top) * (height - 2));
    // A single part is a short stroke.
    return joined ? `L${x.toFixed(1)} ${y.toFixed(1)}` : `M${x.toFixed(1)} ${y.toFixed(1)}h0.8`;
  });
  return (
    <svg aria-hidden viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" className="block h-7 w-full text-accent">
      <path d={path.join("")} fill="none" stroke="currentColor" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
