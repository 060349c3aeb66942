import { ChevronRight, X } from "lucide-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { Icon } from "@/components/icon";
import { Input } from "@/components/input";
import { Checkbox } from "@/components/toggles";
import type { ModelInput } from "@/ipc/bindings/ModelInput";
import { cx } from "@/lib/cx";
import { visibleLine } from "@/lib/untrusted";
import { goodPrice } from "./draft";

const prices = ["inputPrice", "outputPrice"] as const;
const takes = ["images", "audio", "tools"] as const;
const scales = ["cheap", "fast", "capable"] as const;

/** A model that may be used: its prices, its abilities, and its ratings for cost, speed and capability. */
export function ModelRow({
  model,
  onChange,
  onRemove,
}: {
  model: ModelInput;
  onChange: (model: ModelInput) => void;
  onRemove: () => void;
}) {
  const { t } = useTranslation("models");
  const id = useId();
  const [open, setOpen] = useState(false);
  const name = visibleLine(model.id);
  // A row with a mistake stays expanded, also while it is being corrected.
  const mistaken = prices.some((field) => !goodPrice(model[field]));
  const shown = open || mistaken;
  const priced = model.inputPrice !== null && model.outputPrice !== null && goodPrice(model.inputPrice) && goodPrice(model.outputPrice);
  return (
    <li className="border-b border-line last:border-0">
      <div className="flex items-center gap-1 pr-1.5">
        <button
          type="button"
          aria-expanded={shown}
          aria-controls={id}
          onClick={() => setOpen(mistaken || !shown)}
          className="inset-focus flex min-w-0 flex-1 items-center gap-2 px-3 py-1.75 text-left transition-colors hover:bg-hover"
        >
          <Icon of={ChevronRight} className={cx("shrink-0 text-fg-3 transition-transform", shown && "rotate-90")} />
          <bdi data-name-cell className="mono min-w-0 flex-1 truncate">
            {name}
          </bdi>
          <span className="shrink-0 text-sm text-fg-3 tabular">
            {priced ? t("model.priced", { input: model.inputPrice, output: model.outputPrice }) : t("model.unpriced")}
          </span>
        </button>
        <IconButton small icon={X} label={t("model.remove", { name })} onClick={onRemove} />
      </div>
      {shown && (
        <div id={id} className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] gap-x-5 gap-y-2 px-3 pt-1 pb-3 pl-8.5">
          <div className="flex flex-col gap-2">
            {prices.map((field) => (
              <div key={field}>
                <label className="flex items-center gap-2">
                  <span className="min-w-0 flex-1 text-fg-2">{t(`model.${field}`)}</span>
                  <Input
                    inputMode="decimal"
                    placeholder={t("model.unknown")}
                    aria-invalid={!goodPrice(model[field]) || undefined}
                    aria-describedby={goodPrice(model[field]) ? undefined : `${id}-${field}-error`}
                    value={model[field] ?? ""}
                    onChange={(event) =>
                      onChange({ ...model, [field]: event.target.value.trim() === "" ? null : event.target.value.trim() })
                    }
                    className="w-24! text-right tabular"
                  />
                </label>
                {!goodPrice(model[field]) && (
                  <p id={`${id}-${field}-error`} role="alert" className="m-0 mt-1 text-right text-sm text-bad">
                    {t("problem.price")}
                  </p>
                )}
              </div>
            ))}
            <div className="flex flex-wrap gap-x-4 gap-y-1">
              {takes.map((field) => (
                <span key={field} className="inline-flex items-center gap-1.5">
                  <Checkbox id={`${id}-${field}`} checked={model[field]} onChange={(checked) => onChange({ ...model, [field]: checked })} />
                  <label htmlFor={`${id}-${field}`}>{t(`model.${field}`)}</label>
                </span>
              ))}
            </div>
          </div>
          <div className="flex flex-col gap-2">
            {scales.map((field) => (
              <label key={field} className="flex h-7.5 items-center gap-2">
                <span className="w-18 shrink-0 text-fg-2">{t(`model.${field}`)}</span>
                <input
                  type="range"
                  min={0}
                  max={100}
                  step={5}
                  value={model[field]}
                  onChange={(event) => onChange({ ...model, [field]: Number(event.target.value) })}
                  className="min-w-0 flex-1 accent-accent"
                />
                <span className="w-16 shrink-0 text-right text-sm text-fg-3 tabular">{t("model.outOf", { value: model[field] })}</span>
              </label>
            ))}
          </div>
        </div>
      )}
    </li>
  );
}
