import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Input, Textarea } from "@/components/input";
import { SecretInput } from "@/components/secret-input";
import { SegmentedControl } from "@/components/toggles";
import type { FormField } from "@/ipc/bindings/FormField";
import type { FormInput } from "@/ipc/bindings/FormInput";
import { cx } from "@/lib/cx";
import { ManyChoices, OneChoice } from "./choices";
import { mayBeEmpty, type Value } from "./values";

export interface InputProps {
  field: FormField;
  value: Value;
  disabled: boolean;
  onChange: (value: Value) => void;
  id: string;
  labelledBy: string;
  describedBy: string;
  invalid: boolean;
}

/** Texts that may be longer than this get several lines. */
const ONE_LINE = 200;

const hidden = "[-webkit-text-security:disc]";

/** One of several types of which each is written on one line. */
const isShort = (input: FormInput): boolean =>
  input.kind === "either" &&
  !input.kinds.some((kind) => kind.kind === "list" || kind.kind === "some" || kind.kind === "any" || kind.kind === "either");

/** The control of a field, by what it takes. */
export function FieldInput(props: InputProps) {
  const { t } = useTranslation(["inbox", "common"]);
  const { field, value, disabled, onChange, id, labelledBy, describedBy, invalid } = props;
  const { input } = field;
  const text = typeof value === "string" ? value : "";
  // Decided once: a control that becomes another one while somebody writes in it takes the focus away.
  const [lines] = useState(() => text.includes("\n"));
  const still = "read-only:bg-sunken read-only:text-fg-2 read-only:hover:border-line-strong";
  const line = cx(still, "max-w-110");
  // What was entered in a question that is gone can still be copied.
  const shared = {
    id,
    readOnly: disabled,
    "aria-labelledby": labelledBy,
    "aria-describedby": describedBy,
    "aria-invalid": invalid || undefined,
    "aria-required": !mayBeEmpty(field),
  };
  switch (input.kind) {
    case "text": {
      const on = { value: text, onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value) };
      if (field.looksSecret) return <SecretInput fresh {...shared} {...on} className={line} />;
      if (input.format === null && ((input.maxLength ?? 0) > ONE_LINE || lines)) return <Textarea {...shared} {...on} className={still} />;
      const shape = input.format === "date" ? "2026-11-22" : input.format === "date-time" ? "2026-11-22T15:00:00Z" : undefined;
      return (
        <Input
          {...shared}
          {...on}
          code={input.format !== null}
          className={line}
          placeholder={shape}
          inputMode={input.format === "email" ? "email" : input.format === "uri" ? "url" : "text"}
        />
      );
    }
    case "number":
      if (field.looksSecret)
        return (
          <SecretInput
            fresh
            {...shared}
            value={text}
            onChange={(event) => onChange(event.currentTarget.value)}
            inputMode="numeric"
            className={cx(still, "max-w-40")}
          />
        );
      return (
        <Input
          {...shared}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
          inputMode={input.integer ? "numeric" : "decimal"}
          className={cx(still, "max-w-40 tabular")}
        />
      );
    case "boolean": {
      const options = [
        { value: "yes", label: t("form.yes"), disabled },
        { value: "no", label: t("form.no"), disabled },
        ...(mayBeEmpty(field) ? [{ value: "none", label: t("form.noAnswer"), disabled }] : []),
      ];
      const chosen = value === true ? "yes" : value === false ? "no" : mayBeEmpty(field) ? "none" : "";
      return (
        <div role="group" id={id} aria-labelledby={labelledBy} aria-describedby={describedBy}>
          <SegmentedControl
            label={t("form.yesOrNo")}
            value={chosen}
            options={options}
            onChange={(next) => onChange(next === "none" ? null : next === "yes")}
          />
        </div>
      );
    }
    case "one":
      return <OneChoice {...props} choices={input.choices} />;
    case "some":
      return <ManyChoices {...props} choices={input.choices} />;
    case "list":
    case "either":
    case "any":
      if (!lines && isShort(input))
        return (
          <Input
            {...shared}
            value={text}
            onChange={(event) => onChange(event.currentTarget.value)}
            spellCheck={!field.looksSecret}
            className={cx(line, field.looksSecret && hidden)}
          />
        );
      return (
        <Textarea
          {...shared}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
          spellCheck={!field.looksSecret}
          className={cx(line, field.looksSecret && hidden)}
        />
      );
  }
}
