import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog, DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Field } from "@/components/field";
import { Fold } from "@/components/fold";
import { Input } from "@/components/input";
import { Select } from "@/components/select";
import type { ProviderCheck } from "@/ipc/bindings/ProviderCheck";
import type { ProviderView } from "@/ipc/bindings/ProviderView";
import { models } from "@/ipc/queries";
import { errorField, errorText, errorWords } from "@/lib/error-text";
import { wholeSentence } from "@/lib/sentence";
import { useCommand } from "@/lib/use-command";
import { type DraftField, draftOf, inputOf, keyStays, problemsOf, type ProviderDraft, withFreeName } from "./draft";
import { KeyField } from "./key-field";
import { ModelPicker } from "./model-picker";
import { presetOf, presets } from "./presets";

const kinds = ["anthropic", "openai", "ollama", "gemini"] as const;

/** The message that is shown at the key. */
const KEY_REFUSED = "the provider didn’t accept the key: {said}";

/** Adds or changes a provider. */
export function ProviderDialog({ provider, onClose }: { provider: ProviderView | null; onClose: () => void }) {
  const { t, i18n } = useTranslation("models");
  const taken = useQuery(models()).data?.providers.map(({ name }) => name) ?? [];
  const [draft, setDraft] = useState<ProviderDraft>(() => withFreeName(draftOf(provider), provider === null ? taken : []));
  const saving = useCommand({ failure: "shown", vault: true });
  const checking = useCommand({ failure: "shown", vault: true });
  const [check, setCheck] = useState<ProviderCheck | null>(null);
  /** Whether only the key must be entered. Depends on the choice, so that typing doesn't move anything. */
  const [isFolded, setFolded] = useState(provider === null);
  const error = saving.error ?? checking.error;
  const [tried, setTried] = useState(false);
  const key = useRef<HTMLInputElement>(null);
  const problems = problemsOf(draft);
  const keyRefused = check?.problem?.code === KEY_REFUSED ? check.problem : null;
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
    // A result for another key doesn't apply.
    if (next.key !== draft.key && keyRefused !== null) setCheck(null);
    clear();
  };

  const args = { id: provider?.id ?? null, provider: inputOf(draft) };
  /** Shows what is missing. Returns true if nothing is and nothing is running. */
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
    // Other providers usually have OpenAI's API. Their URL must be entered.
    const chosen = presets[name] ?? { kind: "openai" as const, baseUrl: "", name: "", hosted: false };
    const named = draft.name === "" || Object.values(presets).some((item) => item.name === draft.name.replace(/ \d+$/, ""));
    setCheck(null);
    setFolded(provider === null && chosen.hosted === true);
    const next = { ...draft, kind: chosen.kind, baseUrl: chosen.baseUrl };
    change(
      named
        ? withFreeName(
            { ...next, name: chosen.name },
            taken.filter((name) => name !== provider?.name),
          )
        : next,
    );
  };

  const details = (
    <>
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
    </>
  );
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
            {!isFolded && details}
            <KeyField
              ref={key}
              draft={draft}
              onChange={change}
              kept={keyStays(provider, draft)}
              moved={provider?.hasKey === true && !keyStays(provider, draft)}
              problem={refused === "key" ? errorText(error) : keyRefused === null ? null : wholeSentence(keyRefused, i18n.language)}
              local={preset !== null && presets[preset]?.local === true}
            />
            <ModelPicker
              models={draft.models}
              onChange={(next) => change({ ...draft, models: next })}
              check={check !== null && keyRefused !== null ? { ...check, problem: null } : check}
              checking={checking.busy}
              problem={refused === "models" ? errorText(error) : null}
              onCheck={list}
            />
            {isFolded && (
              <Fold title={t("form.advanced")} open={problem("name") !== null || problem("baseUrl") !== null}>
                <div className="flex flex-col gap-3.5">{details}</div>
              </Fold>
            )}
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
