import { KeyRound } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/code-block";
import { Dialog } from "@/components/dialog";
import { Field } from "@/components/field";
import { Input } from "@/components/input";
import { errorField, errorText } from "@/lib/error-text";
import { useDebounced } from "@/lib/use-debounced";
import { HttpAccess } from "./http-access";
import { Snippet } from "./snippet";
import { useEntry } from "./use-entry";

/** The longest name of an app. */
const MOST = 64;

/** The entry for an app that isn't in the list, under a name of the person's choice. */
export function SnippetDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("apps");
  const [name, setName] = useState("");
  const id = useDebounced(name.trim(), 150);
  const entry = useEntry(id === "" ? t("snippet.example") : id);
  const problem = [entry.notMade, entry.unread].find((error) => error !== null && errorField(error) !== null);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t("snippet.otherTitle")}
      description={t("snippet.otherText")}
      footer={
        <>
          <span className="flex-1" />
          <Button onClick={onClose}>{t("snippet.done")}</Button>
          {entry.keyed && entry.text !== undefined ? (
            <CopyButton worded look="primary" text={entry.text} label={t("snippet.copy")} />
          ) : (
            <>
              {entry.text !== undefined && entry.unread === null && (
                <CopyButton worded text={entry.text} label={t(id === "" ? "snippet.copy" : "snippet.copyKeyless")} />
              )}
              {id !== "" && !problem && (
                <Button look="primary" icon={KeyRound} busy={entry.busy} onClick={entry.create}>
                  {t("snippet.create")}
                </Button>
              )}
            </>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label={t("snippet.name")} hint={t("snippet.nameHint")} error={problem && errorText(problem)}>
          {(wiring) => (
            <Input
              {...wiring}
              maxLength={MOST}
              placeholder={t("snippet.example")}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Snippet entry={entry} named bare makesKey={id === "" ? undefined : "first"} />
        {id !== "" && !problem && <HttpAccess key={id} id={id} name={id} />}
      </div>
    </Dialog>
  );
}
