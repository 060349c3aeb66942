import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Settings } from "@/ipc/bindings/Settings";
import { appInfo } from "@/ipc/queries";
import { formatBytes, formatCount } from "@/lib/format";
import { NumberRow } from "./number-row";
import { Box, Section, SettingArea } from "./section";

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
] as const;

/** The limits that can be changed, and the fixed ones, which explain why something was truncated. */
export function Limits({ settings }: { settings: Settings }) {
  return (
    <Section id="limits">
      <Box>
        <NumberRow field="maxMessageMiB" min={16} max={64} usual={16} unit="MiB" value={settings.maxMessageMiB} />
        <NumberRow field="startTimeoutSeconds" min={1} max={600} usual={120} unit="seconds" value={settings.startTimeoutSeconds} />
        <NumberRow field="sleepAfterSeconds" min={1} max={86_400} usual={300} unit="seconds" value={settings.sleepAfterSeconds} />
        <NumberRow field="requestIdleSeconds" min={1} max={3600} usual={60} unit="seconds" value={settings.requestIdleSeconds} />
        <NumberRow
          field="requestTotalSeconds"
          min={1}
          max={86_400}
          usual={600}
          unit="seconds"
          value={settings.requestTotalSeconds}
          idle={settings.requestIdleSeconds}
        />
      </Box>
      <Box>
        <FixedLimits />
      </Box>
    </Section>
  );
}

function FixedLimits() {
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
    <SettingArea setting="fixedLimits">
      <div className="border-b border-line px-4 py-2">
        <h3 className="m-0 text-md font-[540]">{t("limits.fixedLimits.label")}</h3>
        <p className="m-0 text-sm text-fg-3">{t("limits.fixedLimits.text")}</p>
      </div>
      <dl className="m-0 grid grid-cols-2">
        {known.map((limit) => (
          <div key={limit.name} className="flex h-8 items-center gap-3 border-b border-line px-4 odd:border-r nth-last-[-n+2]:border-b-0">
            <dt className="min-w-0 flex-1 truncate text-fg-2">{t(`fixed.${limit.name}`)}</dt>
            <dd className="m-0 tabular">{limit.shown}</dd>
          </div>
        ))}
      </dl>
    </SettingArea>
  );
}
