import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Input } from "@/components/input";
import { cx } from "@/lib/cx";
import { errorText } from "@/lib/error-text";
import { useSetting } from "@/lib/use-save-settings";
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
  const [typed, setTyped] = useState<string | null>(null);
  const refused = error && errorText(error);
  const shown = typed ?? String(value);
  const number = /^\d+$/.test(shown.trim()) ? Number(shown) : Number.NaN;
  const inRange = number >= min && number <= max;
  const tooShort = idle !== undefined && inRange && number < idle;
  const count = (n: number) => formatCount(n, i18n.language);
  const problem = inRange
    ? tooShort
      ? t("limits.tooShort", { seconds: count(idle) })
      : refused
    : t("limits.range", { min: count(min), max: count(max) });

  const commit = async () => {
    if (typed === null || !inRange || tooShort) return;
    if (number === value || (await save({ [field]: number })) !== undefined) setTyped(null);
  };

  return (
    <Row setting={field} undo={undo}>
      {({ id }) => (
        <>
          <span className="flex w-44 items-center gap-2">
            <Input
              id={id}
              inputMode="numeric"
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
