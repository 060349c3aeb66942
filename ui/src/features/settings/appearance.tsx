import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Select } from "@/components/select";
import { SegmentedControl } from "@/components/toggles";
import type { Settings } from "@/ipc/bindings/Settings";
import { useSaveSettings } from "@/lib/use-save-settings";
import { Row, Section } from "./section";

/** Theme and language. */
export function Appearance({ settings }: { settings: Settings }) {
  const { t } = useTranslation("settings");
  const { save } = useSaveSettings();
  const language = useId();
  return (
    <Section title={t("appearance.title")}>
      <Row label={t("appearance.theme")}>
        <SegmentedControl
          label={t("appearance.theme")}
          value={settings.theme}
          onChange={(theme) => void save({ theme })}
          options={[
            { value: "system", label: t("appearance.system") },
            { value: "light", label: t("appearance.light") },
            { value: "dark", label: t("appearance.dark") },
          ]}
        />
      </Row>
      <Row label={t("appearance.language")} htmlFor={language}>
        <Select
          id={language}
          value={settings.language}
          onChange={(next) => void save({ language: next })}
          options={[
            { value: "system", label: t("appearance.languageSystem") },
            { value: "en", label: "English" },
            { value: "zh-CN", label: "简体中文" },
          ]}
          className="w-44"
        />
      </Row>
    </Section>
  );
}
