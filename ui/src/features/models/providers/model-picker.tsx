import { ListChecks, Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { Input } from "@/components/input";
import { Checkbox } from "@/components/toggles";
import type { ModelInput } from "@/ipc/bindings/ModelInput";
import type { ProviderCheck } from "@/ipc/bindings/ProviderCheck";
import { composing } from "@/lib/composing";
import { formatMs } from "@/lib/format";
import { wholeSentence } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import { newModel } from "./draft";
import { ModelRow } from "./model-row";

/** How many of a provider's models are drawn. Typing finds the others. */
const SHOWN = 100;

/** The models that may be used, in the person's order, and the provider's other models. */
export function ModelPicker({
  models,
  onChange,
  check,
  checking,
  problem,
  onCheck,
}: {
  models: readonly ModelInput[];
  onChange: (models: ModelInput[]) => void;
  check: ProviderCheck | null;
  checking: boolean;
  problem: string | null;
  onCheck: () => void;
}) {
  const { t, i18n } = useTranslation("models");
  const [typed, setTyped] = useState("");
  const has = (id: string) => models.some((model) => model.id === id);
  const add = (id: string) => {
    if (id !== "" && !has(id)) onChange([...models, newModel(id)]);
  };
  const listed = (check?.models ?? []).filter((id) => id.toLowerCase().includes(typed.trim().toLowerCase()));
  const addTyped = () => {
    add(typed.trim());
    setTyped("");
  };
  return (
    <section aria-label={t("form.models")}>
      <div className="mb-1.5 flex items-center gap-2">
        <h3 className="m-0 min-w-0 flex-1 text-md font-[560]">{t("form.models")}</h3>
        <Button icon={ListChecks} busy={checking} onClick={onCheck}>
          {t("form.check")}
        </Button>
      </div>
      {models.length === 0 ? (
        <p className="m-0 mb-2 text-fg-2">{t("form.noModels")}</p>
      ) : (
        <ul aria-label={t("form.models")} className="m-0 mb-2 list-none overflow-hidden rounded-m border border-line p-0">
          {models.map((model) => (
            <ModelRow
              key={model.id}
              model={model}
              onChange={(next) => onChange(models.map((item) => (item.id === model.id ? next : item)))}
              onRemove={() => onChange(models.filter((item) => item.id !== model.id))}
            />
          ))}
        </ul>
      )}
      {problem !== null && (
        <p role="alert" className="m-0 mb-2 text-sm text-bad">
          {problem}
        </p>
      )}
      {check?.problem && (
        <div className="mb-2">
          <ErrorNotice answers tone="warn" title={t("form.noAnswer")} why={wholeSentence(check.problem, i18n.language)} />
        </div>
      )}
      <div className="flex gap-1.5">
        <Input
          code
          aria-label={t("form.modelName")}
          placeholder={t(check === null || check.models.length === 0 ? "form.modelName" : "form.modelSearch")}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || composing(event.nativeEvent)) return;
            event.preventDefault();
            addTyped();
          }}
        />
        <Button icon={Plus} disabled={typed.trim() === "" || has(typed.trim())} onClick={addTyped}>
          {t("form.addModel")}
        </Button>
      </div>
      {check !== null && check.models.length > 0 && (
        <>
          <p role="status" className="m-0 mt-1.5 text-sm text-fg-3 tabular">
            {t("form.listed", { count: check.models.length, time: formatMs(check.tookMs, i18n.language) })}
          </p>
          <ul
            aria-label={t("form.listedLabel")}
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
            tabIndex={0}
            className="inset-focus m-0 mt-1 max-h-44 list-none overflow-y-auto rounded-m border border-line p-0"
          >
            {listed.slice(0, SHOWN).map((id) => (
              <li key={id} className="flex items-center gap-2 border-b border-line px-3 py-1.25 last:border-0">
                <Checkbox
                  label={visibleLine(id)}
                  checked={has(id)}
                  onChange={(checked) => (checked ? add(id) : onChange(models.filter((model) => model.id !== id)))}
                />
                <bdi aria-hidden className="mono min-w-0 flex-1 truncate">
                  {visibleLine(id)}
                </bdi>
              </li>
            ))}
            {listed.length > SHOWN && (
              <li className="px-3 py-1.25 text-sm text-fg-3">{t("form.more", { count: listed.length - SHOWN })}</li>
            )}
          </ul>
        </>
      )}
    </section>
  );
}
