import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Settings } from "@/ipc/bindings/Settings";
import { appInfo } from "@/ipc/queries";
import { formatBytes, formatCount } from "@/lib/format";
import { NumberRow } from "./number-row";
import { Section } from "./section";

/** Bounds that a person may move, with their ranges and defaults. */
const adjustable = [
  { field: "maxMessageMiB", min: 16, max: 64, usual: 16, unit: "MiB" },
  { field: "startTimeoutSeconds", min: 1, max: 600, usual: 120, unit: "seconds" },
  { field: "requestIdleSeconds", min: 1, max: 3600, usual: 60, unit: "seconds" },
  { field: "requestTotalSeconds", min: 1, max: 86_400, usual: 600, unit: "seconds" },
] as const;

const fixed = [
  "nodes",
  "depth",
  "in_flight",
  "items",
  "pages",
  "tool_name",
  "description",
  "schema",
  "stderr_line",
  "stderr_tail",
  "log",
] as const;

/** The limits that can be changed. */
export function Limits({ settings }: { settings: Settings }) {
  const { t } = useTranslation("settings");
  return (
    <Section title={t("limits.title")} text={t("limits.text")}>
      {adjustable.map((limit) => (
        <NumberRow key={limit.field} {...limit} value={settings[limit.field]} idle={settings.requestIdleSeconds} />
      ))}
    </Section>
  );
}

/** The limits that cannot, for whoever wonders why something was cut. */
export function FixedLimits() {
  const { t, i18n } = useTranslation("settings");
  const { data } = useQuery(appInfo());
  const known = (data?.limits ?? []).flatMap((limit) => {
    const name = fixed.find((item) => item === limit.name);
    return name === undefined
      ? []
      : [{ name, shown: limit.unit === "bytes" ? formatBytes(limit.value, i18n.language) : formatCount(limit.value, i18n.language) }];
  });
  if (known.length === 0) return null;
  return (
    <Section title={t("fixed.title")} text={t("fixed.text")}>
      <dl className="m-0 grid grid-cols-2">
        {known.map((limit) => (
          <div key={limit.name} className="flex h-8 items-center gap-3 border-b border-line px-4 odd:border-r nth-last-[-n+1]:border-b-0">
            <dt className="min-w-0 flex-1 truncate text-fg-2">{t(`fixed.${limit.name}`)}</dt>
            <dd className="m-0 tabular">{limit.shown}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
