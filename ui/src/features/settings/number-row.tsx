import { useTranslation } from "react-i18next";
import { NumberInput } from "@/components/number-input";
import type { Settings } from "@/ipc/bindings/Settings";
import { errorText } from "@/lib/error-text";
import type { SettingId } from "@/lib/settings-index";
import { useSetting } from "@/lib/use-save-settings";
import { useTypedNumber } from "@/lib/use-typed-number";
import { formatCount } from "@/lib/format";
import { Row } from "./section";

type Field = SettingId & { [K in keyof Settings]: Settings[K] extends number ? K : never }[keyof Settings];

/** A number with its unit. Saved on leaving the field or with Enter, if it is in range. */
export function NumberRow({
  field,
  value,
  min,
  max,
  usual,
  unit,
  idle,
}: {
  field: Field;
  value: number;
  min: number;
  max: number;
  usual: number;
  unit: "MiB" | "seconds";
  /** The idle timeout of a request. The total timeout can't be shorter. */
  idle?: number;
}) {
  const { t, i18n } = useTranslation("settings");
  const { save, undo, error, clear } = useSetting();
  const refused = error && errorText(error);
  const isTooShort = (number: number) => idle !== undefined && number < idle;
  const { number, inRange, input } = useTypedNumber({
    value,
    min,
    max,
    isRefused: isTooShort,
    save: async (number) => (await save({ [field]: number })) !== undefined,
    clear,
  });
  const count = (n: number) => formatCount(n, i18n.language);
  const problem = inRange
    ? isTooShort(number)
      ? t("limits.tooShort", { seconds: count(idle ?? 0) })
      : refused
    : t("limits.range", { min: count(min), max: count(max) });

  return (
    <Row setting={field} undo={undo}>
      {({ id }) => (
        <NumberInput
          id={id}
          input={input}
          unit={t(`unit.${unit}`)}
          problem={problem}
          note={t("limits.usual", { value: count(usual) })}
          width="w-44"
        />
      )}
    </Row>
  );
}
