import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog, DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Field } from "@/components/field";
import { Input } from "@/components/input";
import { Select } from "@/components/select";
import type { ProviderCheck } from "@/ipc/bindings/ProviderCheck";
import type { ProviderView } from "@/ipc/bindings/ProviderView";
import { errorField, errorText, errorWords } from "@/lib/error-text";
import { useCommand } from "@/lib/use-command";
import { type DraftField, draftOf, inputOf, keyStays, problemsOf, type ProviderDraft } from "./draft";
import { KeyField } from "./key-field";
import { ModelPicker } from "./model-picker";
import { presetOf, presets } from "./presets";

const kinds = ["anthropic", "openai", "ollama", "gemini"] as const;

/** Sets a provider up, or changes it. */
export function ProviderDialog({ provider, onClose }: { provider: ProviderView | null; onClose: () => void }) {
  const { t } = useTranslation("models");
  const [draft, setDraft] = useState<ProviderDraft>(() => draftOf(provider));
  const saving = useCommand({ failure: "shown", vault: true });
  const checking = useCommand({ failure: "shown", vault: true });
  const [check, setCheck] = useState<ProviderCheck | null>(null);
  const error = saving.error ?? checking.error;
  const [tried, setTried] = useState(false);
  const key = useRef<HTMLInputElement>(null);
  const problems = problemsOf(draft);
  const preset = presetOf(draft.kind, draft.baseUrl);
  const refused = error === null ? null : errorField(error);
  const clear = () => {
    saving.clear();
    checking.clear();
  };
  const problem = (field: DraftField): string | null =>
    error !== null && refused === field
      ? error.code === "name_taken"
        ? t("problem.taken")
        : errorText(error)
      : tried && problems[field] !== undefined
        ? t(`problem.${problems[field]}`)
        : null;
  const change = (next: ProviderDraft) => {
    setDraft(next);
    clear();
  };

  const args = { id: provider?.id ?? null, provider: inputOf(draft) };
  /** Says what is missing; true where nothing is and nothing is under way. */
  const begins = (sound: boolean) => {
    setTried(true);
    const may = sound && !saving.busy && !checking.busy;
    if (may) clear();
    return may;
  };
  const save = async () => {
    if (!begins(Object.keys(problems).length === 0)) return;
    if ((await saving.run("save_provider", args)) !== undefined) onClose();
  };
  const list = () => begins(problems.baseUrl === undefined) && void checking.run("check_provider", args, { done: setCheck });
  const choosePreset = (name: string) => {
    // What is none of the presets most often speaks as OpenAI does; its address is still to be entered.
    const chosen = presets[name] ?? { kind: "openai", baseUrl: "", name: "" };
    const named = draft.name === "" || Object.values(presets).some((item) => item.name === draft.name);
    setCheck(null);
    change({ ...draft, kind: chosen.kind, baseUrl: chosen.baseUrl, name: named ? chosen.name : draft.name });
  };

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="l"
      bare
      focusFirst={key}
      title={t(provider === null ? "form.new" : "form.change")}
    >
      <form
        className="flex min-h-0 flex-1 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <DialogBody>
          <div className="flex flex-col gap-3.5">
            <div className="grid grid-cols-2 gap-3">
              <Field label={t("form.preset")}>
                {({ id, ...aria }) => (
                  <Select
                    id={id}
                    {...aria}
                    value={preset ?? "other"}
                    options={[
                      ...Object.entries(presets).map(([value, item]) => ({ value, label: item.name })),
                      { value: "other", label: t("form.other") },
                    ]}
                    onChange={choosePreset}
                  />
                )}
              </Field>
              <Field label={t("form.kind")}>
                {({ id, ...aria }) => (
                  <Select
                    id={id}
                    {...aria}
                    value={draft.kind}
                    options={kinds.map((value) => ({ value, label: t(`kind.${value}`) }))}
                    onChange={(kind) => change({ ...draft, kind })}
                  />
                )}
              </Field>
            </div>
            <Field label={t("form.baseUrl")} hint={t("form.baseUrlHint")} error={problem("baseUrl")}>
              {(wiring) => (
                <Input
                  {...wiring}
                  code
                  inputMode="url"
                  value={draft.baseUrl}
                  onChange={(event) => change({ ...draft, baseUrl: event.target.value })}
                />
              )}
            </Field>
            <Field label={t("form.name")} error={problem("name")}>
              {(wiring) => <Input {...wiring} value={draft.name} onChange={(event) => change({ ...draft, name: event.target.value })} />}
            </Field>
            <KeyField
              ref={key}
              draft={draft}
              onChange={change}
              kept={keyStays(provider, draft)}
              moved={provider?.hasKey === true && !keyStays(provider, draft)}
              problem={refused === "key" ? errorText(error) : null}
              local={preset !== null && presets[preset]?.local === true}
            />
            <ModelPicker
              models={draft.models}
              onChange={(next) => change({ ...draft, models: next })}
              check={check}
              checking={checking.busy}
              problem={refused === "models" ? errorText(error) : null}
              onCheck={list}
            />
            {error !== null && !["name", "baseUrl", "models", "key"].includes(refused ?? "") && (
              <ErrorNotice answers title={t("form.failed")} {...errorWords(error)} />
            )}
          </div>
        </DialogBody>
        <DialogFooter>
          <span className="flex-1" />
          <Button onClick={onClose}>{t("cancel", { ns: "common" })}</Button>
          <Button type="submit" look="primary" busy={saving.busy}>
            {t("form.save")}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
