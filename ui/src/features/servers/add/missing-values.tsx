import { useTranslation } from "react-i18next";
import { Field } from "@/components/field";
import { Input } from "@/components/input";
import { SecretInput } from "@/components/secret-input";
import type { ImportEntry } from "@/ipc/bindings/ImportEntry";
import { looksSecret } from "@/lib/secrets";
import { visibleLine } from "@/lib/untrusted";
import { missingIn } from "./missing";

/** The entered values, by the names of the server and of its variable or header. */
export type Values = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** A field for each value that the configuration leaves out. */
export function MissingValues({
  entries,
  values,
  onValues,
}: {
  entries: readonly ImportEntry[];
  values: Values;
  onValues: (values: Values) => void;
}) {
  const { t } = useTranslation("servers");
  return (
    <section aria-label={t("import.values.title")} className="flex flex-col gap-3">
      <div>
        <h3 className="m-0 font-semibold">{t("import.values.title")}</h3>
        <p className="m-0 text-sm text-fg-3">{t("import.values.hint")}</p>
      </div>
      {entries.map((entry) => (
        <div key={entry.name} role="group" aria-label={visibleLine(entry.name)} className="flex flex-col gap-2">
          {missingIn(entry).map((name) => {
            const of = values.get(entry.name) ?? new Map<string, string>();
            const value = of.get(name) ?? "";
            // Depends only on the name, because replacing the field while typing would lose the focus.
            const secret = looksSecret(name, "");
            const Box = secret ? SecretInput : Input;
            return (
              <Field key={name} label={<bdi className="mono">{visibleLine(name)}</bdi>} note={visibleLine(entry.name)}>
                {(wiring) => (
                  <Box
                    {...wiring}
                    code
                    autoComplete={secret ? "new-password" : "off"}
                    value={value}
                    onChange={(event) => onValues(new Map(values).set(entry.name, new Map(of).set(name, event.target.value)))}
                  />
                )}
              </Field>
            );
          })}
        </div>
      ))}
    </section>
  );
}
