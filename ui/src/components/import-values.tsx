import { File as FileIcon, FolderOpen } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Field } from "@/components/field";
import { Input, Textarea } from "@/components/input";
import { SecretInput } from "@/components/secret-input";
import { Select } from "@/components/select";
import type { ImportInput } from "@/ipc/bindings/ImportInput";
import { type Asking, type ImportValues as Values, isMissing, shownValue, withValue } from "@/lib/import-values";
import { wholeSentence } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";

/** A field for each value that a configuration asks for. */
export function ImportValues({
  entries,
  values,
  tried,
  onValues,
  kept,
}: {
  entries: readonly Asking[];
  values: Values;
  /** Whether missing values are marked. */
  tried: boolean;
  onValues: (values: Values) => void;
  /** The names of secrets that stay as they are if nothing is entered. */
  kept?: ReadonlySet<string>;
}) {
  const { t, i18n } = useTranslation("servers");
  return (
    <form aria-label={t("import.values.title")} className="flex flex-col gap-3" onSubmit={(event) => event.preventDefault()}>
      <div>
        <h3 className="m-0 font-semibold">{t("import.values.title")}</h3>
        <p className="m-0 text-sm text-fg-3">{t("import.values.hint")}</p>
      </div>
      {entries.map((entry) => (
        <div key={entry.name} role="group" aria-label={visibleLine(entry.name)} className="flex flex-col gap-3">
          {entries.length > 1 && <bdi className="font-semibold wrap-any text-fg-2">{visibleLine(entry.name)}</bdi>}
          {entry.inputs.map((input) => (
            <Field
              key={input.key}
              label={<bdi className={input.title === null ? "mono wrap-any" : "wrap-any"}>{visibleLine(input.title ?? input.key)}</bdi>}
              note={t(kept?.has(input.key) ? "import.values.kept" : input.required ? "import.values.required" : "import.values.optional")}
              hint={hintOf(input, t("import.values.exposed"), t("import.values.repeated"))}
              error={
                tried && isMissing(entry, input, values)
                  ? t("problem.needed")
                  : input.problem !== null && wholeSentence(input.problem, i18n.language)
              }
            >
              {(wiring) => (
                <Control
                  input={input}
                  wiring={wiring}
                  value={shownValue(entry, input, values)}
                  onChange={(value) => onValues(withValue(values, entry, input.key, value))}
                />
              )}
            </Field>
          ))}
        </div>
      ))}
    </form>
  );
}

/** What the configuration says about a value, and what Mooring adds. */
function hintOf(input: ImportInput, exposed: string, repeated: string): ReactNode {
  const lines = [input.description === null ? null : visibleLine(input.description)];
  if (input.repeated) lines.push(repeated);
  if (input.exposed) lines.push(exposed);
  const shown = lines.filter((line) => line !== null);
  return (
    shown.length > 0 &&
    shown.map((line) => (
      <span key={line} className="block">
        {line}
      </span>
    ))
  );
}

type Wiring = Parameters<Parameters<typeof Field>[0]["children"]>[0];

function Control({
  input,
  wiring,
  value,
  onChange,
}: {
  input: ImportInput;
  wiring: Wiring;
  value: string;
  onChange: (value: string) => void;
}) {
  const example = input.example === null ? undefined : visibleLine(input.example);
  const usual = {
    ...wiring,
    "aria-required": input.required || undefined,
    code: true,
    placeholder: example,
    value,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  if (input.kind === "choice")
    return <ValueSelect input={input} choices={input.choices} wiring={wiring} value={value} onChange={onChange} />;
  if (input.kind === "boolean")
    return <ValueSelect input={input} choices={["true", "false"]} wiring={wiring} value={value} onChange={onChange} />;
  if (input.secret) return <SecretInput {...usual} fresh />;
  if (input.kind === "folder" || input.kind === "file") return <PathInput input={input} usual={usual} onChange={onChange} />;
  if (input.repeated) return <Textarea {...usual} rows={3} />;
  return <Input {...usual} inputMode={input.kind === "number" ? "decimal" : undefined} />;
}

/** A choice. Its options are numbered, because a value can be empty. */
function ValueSelect({
  input,
  choices,
  wiring,
  value,
  onChange,
}: {
  input: ImportInput;
  choices: readonly string[];
  wiring: Wiring;
  value: string;
  onChange: (value: string) => void;
}) {
  const { t } = useTranslation("servers");
  const options = choices.map((choice, index) => ({ value: String(index), label: visibleLine(choice) }));
  const chosen = choices.indexOf(value);
  return (
    <Select
      {...wiring}
      aria-required={input.required || undefined}
      value={chosen < 0 ? undefined : String(chosen)}
      placeholder={t("import.values.choose")}
      options={input.required ? options : [{ value: "none", label: t("import.values.none") }, ...options]}
      onChange={(option) => onChange(choices[Number(option)] ?? "")}
    />
  );
}

type Usual = Omit<Parameters<typeof Input>[0] & Parameters<typeof Textarea>[0], "ref" | "value"> & { value: string };

/** Paths of folders or files, typed or chosen in a dialog. A chosen one is added to those that are there. */
function PathInput({ input, usual, onChange }: { input: ImportInput; usual: Usual; onChange: (value: string) => void }) {
  const { t } = useTranslation("roots");
  const { busy, run } = useCommand();
  const pick = async () => {
    const path = await run(input.kind === "folder" ? "pick_folder" : "pick_file", {});
    if (path == null) return;
    const before = usual.value.trimEnd();
    onChange(input.repeated && before !== "" ? `${before}\n${path}` : path);
  };
  return (
    <div className="flex items-start gap-1.5">
      {input.repeated ? <Textarea {...usual} rows={3} className="flex-1" /> : <Input {...usual} className="flex-1" />}
      <Button icon={input.kind === "folder" ? FolderOpen : FileIcon} busy={busy} onClick={() => void pick()}>
        {t("add.pick")}
      </Button>
    </div>
  );
}
