import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import { VaultMark } from "@/components/vault-mark";
import type { VaultMode } from "@/ipc/bindings/VaultMode";
import { cx } from "@/lib/cx";

/** Where to save the key: each place with its consequences. */
export function ModeChoice({
  modes,
  value,
  now,
  onChange,
}: {
  modes: readonly VaultMode[];
  /** Null before a choice. */
  value: VaultMode | null;
  /** Where it is saved now. */ now: VaultMode | null;
  onChange: (mode: VaultMode) => void;
}) {
  const { t } = useTranslation("vault");
  const name = useId();
  return (
    <fieldset className="m-0 flex flex-col gap-2 border-0 p-0">
      <legend className="sr-only">{t("choice.label")}</legend>
      {modes.map((mode) => (
        <label
          key={mode}
          className={cx(
            "grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 rounded-m border px-3 py-2.5 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-accent",
            value === mode ? "border-accent bg-accent-soft" : "border-line hover:bg-hover",
          )}
        >
          <input
            type="radio"
            name={name}
            value={mode}
            checked={value === mode}
            onChange={() => onChange(mode)}
            className="mt-0.5 size-4 shrink-0 appearance-none rounded-full border border-control bg-surface transition-colors checked:border-5 checked:border-accent focus-visible:outline-none"
          />
          <span className="flex items-center gap-2 font-[580]">
            <VaultMark word={mode} />
            {t(`choice.${mode}.name`)}
            {now === mode && <Chip>{t("choice.now")}</Chip>}
          </span>
          <span className="col-start-2 mt-0.5 text-fg-2">{t(`choice.${mode}.text`)}</span>
        </label>
      ))}
    </fieldset>
  );
}
