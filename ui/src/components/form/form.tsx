import { useTranslation } from "react-i18next";
import { type JsonNode, pathKey } from "@/lib/schema/json";
import { concrete, type Field } from "@/lib/schema/model";
import type { Problem } from "@/lib/schema/check";
import { shownFields } from "@/lib/schema/value";
import { ChoiceBody } from "./choice-body";
import { Body, FieldView } from "./field-view";
import { FormContext, type FormShared } from "./form-context";
import { ObjectBody } from "./object-body";

/** The number of fields from which groups start collapsed. */
const MANY = 120;

const none: ReadonlySet<string> = new Set();

/** Values as a form: a tool's arguments, or a server's question. */
export function Form({
  root,
  server,
  draft,
  problems,
  unchecked = none,
  unfilled,
  asked = false,
  disabled = false,
  empty,
  onChange,
}: {
  root: Field;
  problems: readonly Problem[];
  /** Shown if there is no field. */
  empty: string;
  unchecked?: ReadonlySet<string>;
  asked?: boolean;
  disabled?: boolean;
  unfilled?: ReadonlyMap<string, JsonNode>;
  onChange: FormShared["change"];
} & Pick<FormShared, "server" | "draft">) {
  const { t } = useTranslation("form");
  const field = concrete(root);
  const byPath = new Map<string, Problem[]>();
  for (const problem of problems) {
    const key = pathKey(problem.path);
    byPath.set(key, [...(byPath.get(key) ?? []), problem]);
  }
  const folded = !asked && shownFields(root, MANY) >= MANY;
  const shared = { server, draft, problems: byPath, unchecked, unfilled, asked, disabled, change: onChange, folded, View: FieldView, Body };
  if (field.kind === "object" && field.properties.length === 0 && !field.open && draft.value.members.length === 0) {
    return <p className="m-0 text-fg-2">{empty}</p>;
  }
  return (
    <FormContext value={shared}>
      {field.kind === "choice" ? (
        <>
          <label htmlFor="field-root" className="mb-1 block font-[560]">
            {t("field.whole")}
          </label>
          <ChoiceBody
            field={field}
            path={[]}
            name={t("field.arguments")}
            label={t("field.whole")}
            required
            item={false}
            value={draft.value}
            wiring={{
              id: "field-root",
              "aria-labelledby": undefined,
              "aria-label": undefined,
              "aria-describedby": undefined,
              "aria-invalid": undefined,
              "aria-required": undefined,
            }}
          />
        </>
      ) : field.kind === "object" ? (
        <ObjectBody field={field} path={[]} value={draft.value} />
      ) : null}
    </FormContext>
  );
}
