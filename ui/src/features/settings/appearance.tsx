import { useTranslation } from "react-i18next";
import { Select } from "@/components/select";
import { SegmentedControl } from "@/components/toggles";
import type { Settings } from "@/ipc/bindings/Settings";
import { errorText } from "@/lib/error-text";
import type { SettingId } from "@/lib/settings-index";
import { useSetting } from "@/lib/use-save-settings";
import { zooms } from "@/lib/zoom";
import { Box, Row, Section } from "./section";

/** Theme, density, zoom and language. */
export function Appearance({ settings }: { settings: Settings }) {
  const { t } = useTranslation("settings");
  return (
    <Section id="appearance">
      <Box>
        <Choice
          setting="theme"
          value={settings.theme}
          options={[
            { value: "system", label: t("appearance.theme.system") },
            { value: "light", label: t("appearance.theme.light") },
            { value: "dark", label: t("appearance.theme.dark") },
          ]}
        />
        <Choice
          setting="density"
          value={settings.density}
          options={[
            { value: "comfortable", label: t("appearance.density.comfortable") },
            { value: "compact", label: t("appearance.density.compact") },
          ]}
        />
        <List
          setting="zoom"
          value={String(settings.zoomPercent)}
          part={(value) => ({ zoomPercent: Number(value) })}
          options={zooms.map((percent) => ({ value: String(percent), label: t("appearance.percent", { percent }) }))}
        />
        <List
          setting="language"
          value={settings.language}
          part={(language) => ({ language })}
          options={[
            { value: "system", label: t("appearance.language.system") },
            { value: "en", label: "English" },
            { value: "zh-CN", label: "简体中文" },
          ]}
        />
      </Box>
    </Section>
  );
}

/** A choice of a few values side by side. */
function Choice<S extends "theme" | "density">({
  setting,
  value,
  options,
}: {
  setting: S;
  value: Settings[S];
  options: readonly { value: Settings[S]; label: string }[];
}) {
  const { save, undo, error } = useSetting();
  return (
    <Row setting={setting} undo={undo} problem={error && errorText(error)} group>
      {(names) => <SegmentedControl {...names} value={value} options={options} onChange={(next) => void save({ [setting]: next })} />}
    </Row>
  );
}

/** A choice of several values in a list. */
function List<V extends string>({
  setting,
  value,
  options,
  part,
}: {
  setting: SettingId;
  value: V;
  options: readonly { value: V; label: string }[];
  part: (value: V) => Partial<Settings>;
}) {
  const { save, undo, error } = useSetting();
  return (
    <Row setting={setting} undo={undo} problem={error && errorText(error)}>
      {(names) => <Select {...names} value={value} options={options} onChange={(next) => void save(part(next))} className="w-44" />}
    </Row>
  );
}
