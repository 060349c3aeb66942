import { useTranslation } from "react-i18next";
import { pathKey } from "@/lib/schema/json";
import { concrete, type Field } from "@/lib/schema/model";
import type { Problem } from "@/lib/schema/check";
import { shownFields } from "@/lib/schema/value";
import { ChoiceBody } from "./choice-body";
import type { Draft } from "./draft";
import { Body, FieldView } from "./field-view";
import { FormContext } from "./form-context";
import { ObjectBody } from "./object-body";

/** With more fields than this the groups begin folded. */
const MANY = 120;

const none: ReadonlySet<string> = new Set();

/** A tool's arguments as a form. */
export function ArgumentsForm({
  root,
  server,
  draft,
  problems,
  unchecked = none,
  onChange,
}: {
  root: Field;
  server: string;
  draft: Draft;
  problems: readonly Problem[];
  /** Patterns that the host does not check. */
  unchecked?: ReadonlySet<string>;
  onChange: (edit: (draft: Draft) => Draft) => void;
}) {
  const { t } = useTranslation("workbench");
  const field = concrete(root);
  const byPath = new Map<string, Problem[]>();
  for (const problem of problems) {
    const key = pathKey(problem.path);
    byPath.set(key, [...(byPath.get(key) ?? []), problem]);
  }
  const folded = shownFields(root, MANY) >= MANY;
  const shared = { server, draft, problems: byPath, unchecked, change: onChange, folded, View: FieldView, Body };
  if (field.kind === "object" && field.properties.length === 0 && !field.open && draft.value.members.length === 0) {
    return <p className="m-0 text-fg-2">{t("form.noArguments")}</p>;
  }
  return (
    <FormContext value={shared}>
      {field.kind === "choice" ? (
        <>
          <label htmlFor="arg-root" className="mb-1 block font-[560]">
            {t("form.whole")}
          </label>
          <ChoiceBody
            field={field}
            path={[]}
            name={t("form.arguments")}
            label={t("form.whole")}
            required
            item={false}
            value={draft.value}
            wiring={{ id: "arg-root", "aria-describedby": undefined, "aria-invalid": undefined }}
          />
        </>
      ) : field.kind === "object" ? (
        <ObjectBody field={field} path={[]} value={draft.value} />
      ) : null}
    </FormContext>
  );
}
