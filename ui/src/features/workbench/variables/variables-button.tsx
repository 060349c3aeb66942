import { Braces, Plus, Trash2 } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { Field } from "@/components/field";
import { Input } from "@/components/input";
import { composing } from "@/lib/composing";
import { looksSecret } from "@/lib/secrets";
import { isName, removeVariable, setVariable, useVariables, type Variable } from "./variables";

/** Opens the list of variables. */
export function VariablesButton() {
  const { t } = useTranslation("workbench");
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look="ghost" icon={Braces} onClick={() => setOpen(true)}>
        {t("variables.title")}
      </Button>
      {open && <VariablesDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function VariablesDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(["workbench", "common"]);
  const variables = useVariables();
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const taken = variables.some((variable) => variable.name === name);
  const wrong = taken ? t("variables.taken") : name !== "" && !isName(name) ? t("variables.badName") : null;
  const secret = looksSecret(name, value) ? t("variables.secret") : null;
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (!isName(name) || taken || secret !== null) return;
    setVariable(name, value);
    setName("");
    setValue("");
  };
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={t("variables.title")}
      description={t("variables.text", { example: "{{name}}", escaped: String.raw`\{{name}}` })}
      footer={
        <>
          <span className="flex-1" />
          <Button onClick={onClose}>{t("common:close")}</Button>
        </>
      }
    >
      {variables.length > 0 && (
        <ul aria-label={t("variables.title")} className="m-0 mb-4 flex list-none flex-col gap-1.5 p-0">
          {variables.map((variable) => (
            <Row key={variable.name} variable={variable} />
          ))}
        </ul>
      )}
      <form onSubmit={add} className="flex items-start gap-2">
        <Field label={t("variables.name")} error={wrong ?? undefined} className="w-36 shrink-0">
          {(wiring) => <Input {...wiring} code value={name} onChange={(event) => setName(event.target.value.trim())} />}
        </Field>
        <Field label={t("variables.value")} error={secret ?? undefined} className="min-w-0 flex-1">
          {(wiring) => <Input {...wiring} value={value} onChange={(event) => setValue(event.target.value)} />}
        </Field>
        <Button type="submit" icon={Plus} disabled={!isName(name) || taken || secret !== null} className="mt-6">
          {t("variables.add")}
        </Button>
      </form>
    </Dialog>
  );
}

/** One variable. What is typed is saved once it is whole, and only if it doesn't look like a secret. */
function Row({ variable: { name, value } }: { variable: Variable }) {
  const { t } = useTranslation("workbench");
  const [typed, setTyped] = useState<string | null>(null);
  const id = useId();
  const secret = typed !== null && looksSecret(name, typed);
  const save = () => {
    if (typed === null || secret) return;
    setVariable(name, typed);
    setTyped(null);
  };
  return (
    <li className="flex items-start gap-2">
      <code className="mono w-36 shrink-0 truncate leading-7.5" title={name}>
        {name}
      </code>
      <div className="min-w-0 flex-1">
        <Input
          value={typed ?? value}
          aria-label={t("variables.valueOf", { name })}
          aria-invalid={secret || undefined}
          aria-describedby={secret ? id : undefined}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={save}
          onKeyDown={(event) => event.key === "Enter" && !composing(event.nativeEvent) && save()}
        />
        {secret && (
          <p id={id} role="alert" className="mt-1 text-sm wrap-any text-bad">
            {t("variables.secret")}
          </p>
        )}
      </div>
      <IconButton icon={Trash2} label={t("variables.remove", { name })} onClick={() => removeVariable(name)} />
    </li>
  );
}
