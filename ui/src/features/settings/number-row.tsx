import { useTranslation } from "react-i18next";
import { Input } from "@/components/input";
import { cx } from "@/lib/cx";
import { errorText } from "@/lib/error-text";
import { useSetting } from "@/lib/use-save-settings";
import { useTypedNumber } from "@/lib/use-typed-number";
import { formatCount } from "@/lib/format";
import { Row } from "./section";

type Field = "maxMessageMiB" | "startTimeoutSeconds" | "requestIdleSeconds" | "requestTotalSeconds" | "maxLogMiB";

/** A number with its unit. It is saved when it is left or confirmed with Enter, and only when it is in range. */
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
  /** How long a request may be silent: the whole may not be shorter. */
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
        <>
          <span className="flex w-44 items-center gap-2">
            <Input
              id={id}
              {...input}
              aria-invalid={problem !== null || undefined}
              aria-describedby={`${id}-note`}
              className="w-20! text-right tabular"
            />
            <span className="text-fg-3">{t(`unit.${unit}`)}</span>
          </span>
          <p
            id={`${id}-note`}
            role={problem === null ? undefined : "alert"}
            className={cx("m-0 mt-0.5 w-44 text-sm tabular", problem === null ? "text-fg-3" : "text-bad")}
          >
            {problem ?? t("limits.usual", { value: count(usual) })}
          </p>
        </>
      )}
    </Row>
  );
}
