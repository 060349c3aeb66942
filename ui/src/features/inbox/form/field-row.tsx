import { useId } from "react";
import { TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { UntrustedText } from "@/components/their-voice";
import type { FormField } from "@/ipc/bindings/FormField";
import { useFieldHint } from "./field-hint";
import { FieldInput } from "./field-input";
import { TheirLabel } from "./their-label";
import { mayBeEmpty, type Value } from "./values";

/** One field: its name and description in the server's voice behind a rule, the control and everything else in ours. */
export function FieldRow({
  field,
  value,
  error,
  disabled,
  onChange,
  onLeave,
}: {
  field: FormField;
  value: Value;
  error: string | null;
  disabled: boolean;
  onChange: (value: Value) => void;
  onLeave: () => void;
}) {
  const { t } = useTranslation(["inbox", "common"]);
  const id = useId();
  const hint = useFieldHint(field, value);
  const title = field.title === null || field.title === "" ? field.name : field.title;
  const notes = [t(mayBeEmpty(field) ? "common:optional" : "common:required"), ...hint];
  return (
    // What counts is that the focus leaves the field, not that it moves among its controls.
    <div
      data-field
      data-invalid={error !== null || undefined}
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && onLeave()}
      // What it is called and takes comes into sight with it.
      onFocus={(event) => event.target.matches("input, textarea") && event.currentTarget.scrollIntoView({ block: "nearest" })}
      className="scroll-my-3 mt-4 first:mt-0"
    >
      <div className="mb-1.5 border-l-2 border-line-strong pl-2.5">
        <TheirLabel id={`${id}-label`} htmlFor={`${id}-input`} text={title.replaceAll(/\s+/g, " ")} className="selectable font-[560]" />
        {field.description !== null && field.description !== "" && (
          <div
            id={`${id}-about`}
            data-theirs
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
            tabIndex={field.description.length > 400 ? 0 : undefined}
            className="selectable inset-focus max-h-24 overflow-y-auto text-sm whitespace-pre-wrap wrap-any text-fg-2"
          >
            <UntrustedText text={field.description} />
          </div>
        )}
      </div>
      {field.looksSecret && (
        <p className="m-0 mb-1.5 flex gap-2 text-sm font-medium text-bad">
          <Icon of={TriangleAlert} className="mt-0.5 shrink-0" />
          {t("form.secretField")}
        </p>
      )}
      <FieldInput
        field={field}
        value={value}
        disabled={disabled}
        onChange={onChange}
        id={`${id}-input`}
        labelledBy={`${id}-label`}
        describedBy={`${id}-note`}
        invalid={error !== null}
      />
      <p
        id={`${id}-note`}
        role={error === null ? undefined : "alert"}
        className={`m-0 mt-1 text-sm wrap-any ${error === null ? "text-fg-3" : "text-bad"}`}
      >
        {error ?? notes.join(" · ")}
      </p>
    </div>
  );
}
