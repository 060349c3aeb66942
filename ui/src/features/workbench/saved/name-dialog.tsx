import { type FormEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog, DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Field } from "@/components/field";
import { Input } from "@/components/input";
import type { IpcError } from "@/ipc/bridge";
import { errorWords } from "@/lib/error-text";

const LONGEST = 120;

/** Asks for the name of a saved call. */
export function NameDialog({
  title,
  initial,
  submit,
  hint,
  problem,
  busy,
  error,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  initial: string;
  submit: string;
  /** The hint for a valid name. */
  hint: (name: string) => string | null;
  /** Why a name is invalid, or null. */
  problem: (name: string) => string | null;
  busy: boolean;
  error: IpcError | null;
  onSubmit: (name: string) => void;
  onClose: () => void;
  children?: ReactNode;
}) {
  const { t } = useTranslation(["workbench", "common"]);
  const [typed, setTyped] = useState(initial);
  const name = typed.trim();
  const wrong = name === "" ? null : problem(name);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (name !== "" && wrong === null && !busy) onSubmit(name);
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} size="s" title={title} bare>
      <form onSubmit={send} className="contents">
        <DialogBody>
          <div className="flex flex-col gap-3">
            <Field label={t("saved.name")} hint={hint(name) ?? undefined} error={wrong ?? undefined}>
              {(wiring) => (
                <Input {...wiring} value={typed} maxLength={LONGEST} required onChange={(event) => setTyped(event.target.value)} />
              )}
            </Field>
            {children}
            {error !== null && <ErrorNotice title={t("saved.failed")} {...errorWords(error)} />}
          </div>
        </DialogBody>
        <DialogFooter>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" look="primary" busy={busy} disabled={name === "" || wrong !== null}>
            {submit}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
