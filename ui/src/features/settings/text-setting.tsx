import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Input } from "@/components/input";
import type { Settings } from "@/ipc/bindings/Settings";
import { errorText } from "@/lib/error-text";
import { type SettingId, settingOf, settingTexts } from "@/lib/settings-index";
import { useSetting } from "@/lib/use-save-settings";
import { Saved, SettingArea } from "./section";

/** A text field of full width. Saved on leaving the field or with Enter, if it is valid. */
export function TextSetting({
  setting,
  texts = settingOf(setting),
  value,
  placeholder,
  part,
}: {
  setting: SettingId;
  /** Its label and hint, if the setting has several texts. */
  texts?: Pick<ReturnType<typeof settingOf>, "label" | "hint">;
  value: string;
  placeholder: string;
  /** The setting to save for a text, or why it is invalid. */
  part: (text: string) => Partial<Settings> | string;
}) {
  const { t } = useTranslation(settingTexts);
  const id = useId();
  const { save, undo, error, clear } = useSetting();
  const [typed, setTyped] = useState<string | null>(null);
  const { label, hint } = texts;
  const shown = typed ?? value;
  const saved = part(shown);
  const wrong = typed !== null && typeof saved === "string" ? saved : null;
  const problem = wrong ?? (error && errorText(error));

  const commit = async () => {
    if (typed === null || typeof saved === "string") return;
    if (typed === value || (await save(saved)) !== undefined) setTyped(null);
  };

  return (
    <SettingArea setting={setting} className="px-4 py-3">
      <div className="flex items-center gap-x-2">
        <label htmlFor={id} className="font-[540]">
          {t(label)}
        </label>
        <Saved setting={setting} undo={undo} />
      </div>
      <div data-control>
        <Input
          id={id}
          code
          inputMode="url"
          placeholder={placeholder}
          value={shown}
          aria-invalid={problem !== null || undefined}
          aria-describedby={`${id}-note`}
          onChange={(event) => {
            setTyped(event.target.value);
            clear();
          }}
          onBlur={() => void commit()}
          onKeyDown={(event) => {
            if (event.key === "Enter") void commit();
            if (event.key !== "Escape") return;
            setTyped(null);
            clear();
          }}
          className="mt-1"
        />
      </div>
      <p
        id={`${id}-note`}
        role={problem === null ? undefined : "alert"}
        className={problem === null ? "m-0 mt-1 text-sm text-fg-3" : "m-0 mt-1 text-sm text-bad"}
      >
        {problem ?? (hint !== undefined && t(hint))}
      </p>
    </SettingArea>
  );
}
