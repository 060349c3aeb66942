import { LockKeyhole } from "lucide-react";
import { type Ref, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Field } from "@/components/field";
import { Icon } from "@/components/icon";
import { SecretInput } from "@/components/secret-input";
import type { ProviderDraft } from "./draft";

/** The provider's key. A saved key is never shown, and can only be replaced or removed. */
export function KeyField({
  ref,
  draft,
  onChange,
  kept,
  moved,
  problem,
  local,
}: {
  ref?: Ref<HTMLInputElement>;
  draft: ProviderDraft;
  onChange: (draft: ProviderDraft) => void;
  kept: boolean;
  /** Whether the saved key belongs to another URL. */
  moved: boolean;
  problem: string | null;
  local: boolean;
}) {
  const { t } = useTranslation("models");
  const [replacing, setReplacing] = useState(false);
  // The pressed button is gone, so the field that replaces it gets the focus.
  const intoKey = (id: string) => requestAnimationFrame(() => document.getElementById(id)?.focus());
  const shown = kept && !replacing && !draft.forgetKey;
  return (
    <Field
      label={t("form.key")}
      {...(local || draft.forgetKey ? { note: t("optional", { ns: "common" }) } : {})}
      hint={draft.forgetKey && draft.key === "" ? t("form.keyForgotten") : t(moved ? "form.keyMoved" : "form.keyHint")}
      error={problem}
    >
      {(wiring) =>
        shown ? (
          <div className="flex flex-wrap items-center gap-1.5">
            <span
              id={wiring.id}
              className="inline-flex h-7.5 min-w-0 flex-1 items-center gap-2 rounded-s border border-line bg-sunken px-2.25 text-fg-2"
            >
              <Icon of={LockKeyhole} className="shrink-0 text-ok" />
              {t("form.keyKept")}
            </span>
            <Button
              onClick={() => {
                setReplacing(true);
                intoKey(wiring.id);
              }}
            >
              {t("form.keyReplace")}
            </Button>
            <Button
              look="danger"
              onClick={() => {
                onChange({ ...draft, forgetKey: true });
                intoKey(wiring.id);
              }}
            >
              {t("form.keyForget")}
            </Button>
          </div>
        ) : (
          <div className="flex gap-1.5">
            <SecretInput
              {...wiring}
              {...(ref === undefined ? {} : { ref })}
              fresh
              code
              value={draft.key}
              onChange={(event) => onChange({ ...draft, key: event.target.value })}
            />
            {kept && (
              <Button
                look="ghost"
                onClick={() => {
                  setReplacing(false);
                  onChange({ ...draft, key: "", forgetKey: false });
                }}
              >
                {t("form.keyKeep")}
              </Button>
            )}
          </div>
        )
      }
    </Field>
  );
}
