import { Braces, LockKeyhole, Plus, Trash2 } from "lucide-react";
import { type FormEvent, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { Field } from "@/components/field";
import { Icon } from "@/components/icon";
import { Input } from "@/components/input";
import { SecretInput } from "@/components/secret-input";
import { Checkbox } from "@/components/toggles";
import { composing } from "@/lib/composing";
import { cx } from "@/lib/cx";
import { looksSecret } from "@/lib/secrets";
import { useCommand } from "@/lib/use-command";
import { isName, removeVariable, setVariable, useVariables } from "./variables";

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

/** The last column has the width of Add, so that all fields are aligned. */
const LAST = "min-w-19 shrink-0";

/** The shortest secret. Shorter ones couldn't be found in logged text. */
const SHORTEST_SECRET = 6;

function VariablesDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(["workbench", "common"]);
  const variables = useVariables();
  const { run, busy } = useCommand({ vault: true });
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const [chosen, setChosen] = useState<boolean | null>(null);
  const secret = chosen ?? looksSecret(name, "");
  const id = useId();
  const taken = variables.some((variable) => variable.name === name);
  const wrong = taken ? t("variables.taken") : name !== "" && !isName(name) ? t("variables.badName") : null;
  const unfit = secret
    ? value !== "" && value.trim().length < SHORTEST_SECRET && t("variables.short", { count: SHORTEST_SECRET })
    : looksSecret(name, value) && t("variables.secret");
  const whole = isName(name) && !taken && unfit === false && !(secret && value === "");
  const add = async (event: FormEvent) => {
    event.preventDefault();
    if (!whole || busy) return;
    if (!secret) setVariable(name, value);
    else if ((await run("set_secret_variable", { name, value })) === undefined) return;
    setName("");
    setValue("");
    setChosen(null);
  };
  const Value = secret ? SecretInput : Input;
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
          {variables.map((variable) =>
            variable.value === null ? (
              <SecretRow key={variable.name} name={variable.name} />
            ) : (
              <Row key={variable.name} name={variable.name} value={variable.value} />
            ),
          )}
        </ul>
      )}
      <form onSubmit={(event) => void add(event)} className="flex flex-col gap-2">
        <div className="flex items-start gap-2">
          <Field label={t("variables.name")} error={wrong ?? undefined} className="w-36 shrink-0">
            {(wiring) => <Input {...wiring} code value={name} onChange={(event) => setName(event.target.value.trim())} />}
          </Field>
          <Field label={t("variables.value")} error={unfit === false ? undefined : unfit} className="min-w-0 flex-1">
            {(wiring) => (
              <Value {...wiring} {...(secret && { fresh: true })} value={value} onChange={(event) => setValue(event.target.value)} />
            )}
          </Field>
          <Button type="submit" icon={Plus} busy={busy} disabled={!whole} className={cx("mt-6", LAST)}>
            {t("variables.add")}
          </Button>
        </div>
        <div className="flex items-center gap-2">
          <Checkbox id={id} checked={secret} onChange={setChosen} />
          <label htmlFor={id}>{t("variables.asSecret")}</label>
        </div>
      </form>
    </Dialog>
  );
}

/** A variable. The text is saved once it is complete, if it doesn't look like a secret. */
function Row({ name, value }: { name: string; value: string }) {
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
      <Name name={name} />
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
      <span className={LAST}>
        <IconButton icon={Trash2} label={t("variables.remove", { name })} onClick={() => removeVariable(name)} />
      </span>
    </li>
  );
}

function Name({ name }: { name: string }) {
  return (
    <code className="mono w-36 shrink-0 truncate leading-7.5" title={name}>
      {name}
    </code>
  );
}

/** A secret. Its value is never sent here, so removing it needs a confirmation. */
function SecretRow({ name }: { name: string }) {
  const { t } = useTranslation(["workbench", "common"]);
  const { run, busy } = useCommand({ vault: true });
  const [removing, setRemoving] = useState(false);
  const first = useRef<HTMLButtonElement>(null);
  const ask = (next: boolean) => {
    flushSync(() => setRemoving(next));
    first.current?.focus();
  };
  return (
    <li className="flex min-h-7.5 items-center gap-2">
      <Name name={name} />
      <span className="flex min-w-0 flex-1 items-center gap-1.5 text-fg-2">
        <Icon of={LockKeyhole} className="shrink-0" />
        <span className="truncate">{t(removing ? "variables.gone" : "variables.sealed")}</span>
      </span>
      {removing ? (
        <>
          <Button ref={first} onClick={() => ask(false)}>
            {t("common:cancel")}
          </Button>
          <Button look="danger" busy={busy} onClick={() => void run("remove_secret_variable", { name })}>
            {t("variables.remove", { name })}
          </Button>
        </>
      ) : (
        <span className={LAST}>
          <IconButton ref={first} icon={Trash2} label={t("variables.removeSecret", { name })} onClick={() => ask(true)} />
        </span>
      )}
    </li>
  );
}
