import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Input } from "@/components/input";
import { ProgressBar } from "@/components/progress-bar";
import { cx } from "@/lib/cx";
import { formatCount } from "@/lib/format";

/** Removes the commas that group the digits of a whole number. */
const plain = (text: string): string => (/^\d{1,3}(?:,\d{3})+$/.test(text) ? text.replaceAll(",", "") : text);

/** An optional limit, saved on leaving the field or with Enter. A bar shows how much is used. */
export function Budget({
  label,
  value,
  pattern,
  fractions = false,
  onChange,
  used = 0,
  limit = null,
  note,
}: {
  label: string;
  value: string | null;
  /** The pattern of a valid limit. */
  pattern: RegExp;
  /** Whether fractions are allowed. Then commas are rejected, because in many countries they are decimal points. */
  fractions?: boolean;
  onChange: (value: string | null) => void;
  used?: number;
  limit?: number | null;
  /** Null if there is nothing to say. */
  note: string | null;
}) {
  const { t, i18n } = useTranslation("models");
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const shown = value === null || fractions ? (value ?? "") : formatCount(Number(value), i18n.language);
  const entered = (typed ?? value ?? "").trim();
  const text = fractions ? entered : plain(entered);
  const good = text === "" || pattern.test(text);
  const spent = limit !== null && used >= limit;
  const commit = () => {
    if (typed === null || !good) return;
    if (text !== (value ?? "")) onChange(text === "" ? null : text);
    setTyped(null);
  };
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="block truncate text-sm text-fg-2">
        {label}
      </label>
      <Input
        id={id}
        inputMode="decimal"
        placeholder={t("budget.open")}
        value={typed ?? shown}
        aria-invalid={!good || undefined}
        aria-describedby={`${id}-note`}
        // Edited in its saved form, without commas.
        onFocus={() => setTyped((before) => before ?? value ?? "")}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === "Enter") commit();
          if (event.key === "Escape") setTyped(null);
        }}
        className="mt-0.5 mb-1.5 tabular"
      />
      {limit === null ? <div className="h-1" /> : <ProgressBar value={used} max={limit} label={label} tone={spent ? "warn" : "plain"} />}
      <p
        id={`${id}-note`}
        role={good ? undefined : "alert"}
        className={cx("m-0 mt-0.5 text-sm tabular", good ? (spent ? "text-warn" : "text-fg-3") : "text-bad")}
      >
        {!good ? t("budget.bad") : spent ? t("budget.spent", { note: note ?? "" }) : note}
      </p>
    </div>
  );
}
