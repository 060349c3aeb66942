import { RadioGroup } from "radix-ui";
import { useTranslation } from "react-i18next";
import { Select } from "@/components/select";
import { Checkbox } from "@/components/toggles";
import { cx } from "@/lib/cx";
import { sameJson } from "@/lib/schema/equal";
import { jsonArray, type JsonNode, stringify } from "@/lib/schema/json";
import type { EnumField, EnumOption } from "@/lib/schema/model";
import { visibleLine } from "@/lib/untrusted";
import { Combobox } from "./combobox";
import { naming, useForm, type Wiring } from "./form-context";
import { shortValue } from "./hints";
import type { ControlProps } from "./scalar";
import { TheirLabel } from "./their-label";

const LEFT_OUT = "none";
/** The length from which a list has a search. */
const SEARCHED = 24;
/** A question shows all choices. If there are more than this, they are in a dropdown, if each fits in one line. */
const SEEN_AT_ONCE = 8;
const ONE_LINE = 40;

/** The label of a choice, trimmed. Empty if nothing visible is left. */
const labelOf = ({ label, value }: EnumOption) =>
  [label ?? "", value.kind === "string" ? value.value : stringify(value)].find((text) => text.trim() !== "") ?? "";

/** A choice of one value. */
export function EnumControl({ field, value, onChange, required, wiring }: ControlProps<EnumField>) {
  const { t } = useTranslation("form");
  const { asked, disabled } = useForm();
  const { options } = field;
  const labels = options.map((option) => (option.label === undefined ? shortValue(option.value, 80) : visibleLine(option.label)));
  const at = value === undefined ? -1 : options.findIndex((option) => sameJson(option.value, value));
  const pick = (next: string) => onChange(next === LEFT_OUT ? undefined : options[Number(next)]?.value);
  const leftOut = t(asked ? "field.noAnswer" : "field.notSet");
  if (asked && (options.length <= SEEN_AT_ONCE || options.some((option) => visibleLine(labelOf(option)).length > ONE_LINE))) {
    const { id } = wiring;
    return (
      <RadioGroup.Root
        {...naming(wiring)}
        id={id}
        value={at >= 0 ? String(at) : required ? "" : LEFT_OUT}
        onValueChange={pick}
        disabled={disabled}
        aria-required={wiring["aria-required"]}
        className="flex flex-col gap-1.5"
      >
        {options.map((option, index) => (
          <div key={index} className="flex items-start gap-2">
            <Radio id={`${id}-${index}`} value={String(index)} />
            <ChoiceLabel htmlFor={`${id}-${index}`} label={labelOf(option)} />
          </div>
        ))}
        {!required && (
          <label htmlFor={`${id}-none`} className="flex items-start gap-2 text-fg-3">
            <Radio id={`${id}-none`} value={LEFT_OUT} />
            {leftOut}
          </label>
        )}
      </RadioGroup.Root>
    );
  }
  if (options.length === 1 && required && at === 0) {
    return (
      <output
        id={wiring.id}
        className="mono inline-flex h-7.5 max-w-full items-center truncate rounded-s border border-line bg-sunken px-2.25 text-fg-2"
      >
        {labels[0]}
      </output>
    );
  }
  const placeholder = value === undefined || value.kind === "null" ? (required ? t("field.choose") : leftOut) : shortValue(value);
  if (options.length > SEARCHED) {
    return (
      <Combobox
        {...wiring}
        labels={labels}
        at={at}
        placeholder={placeholder}
        clearable={!required}
        disabled={disabled}
        onPick={(index) => pick(index === null ? LEFT_OUT : String(index))}
      />
    );
  }
  const listed = labels.map((label, index) => ({ value: String(index), label: label.trim() === "" ? t("field.blank") : label }));
  return (
    <div data-theirs={asked || undefined}>
      <Select
        {...wiring}
        value={at < 0 ? (asked && !required ? LEFT_OUT : undefined) : String(at)}
        placeholder={placeholder}
        options={required ? listed : [{ value: LEFT_OUT, label: leftOut }, ...listed]}
        onChange={pick}
        disabled={disabled}
        className="w-full max-w-80"
      />
    </div>
  );
}

function Radio({ id, value }: { id: string; value: string }) {
  return (
    <RadioGroup.Item
      id={id}
      value={value}
      className="mt-0.5 grid size-4 shrink-0 place-items-center rounded-full border border-control bg-surface transition-colors data-[state=checked]:border-accent disabled:opacity-50"
    >
      <RadioGroup.Indicator className="block size-2 rounded-full bg-accent" />
    </RadioGroup.Item>
  );
}

/** The label of a choice, or our own text if it has none. */
function ChoiceLabel({ htmlFor, label }: { htmlFor: string; label: string }) {
  const { t } = useTranslation("form");
  return label === "" ? (
    <label htmlFor={htmlFor} className="min-w-0 flex-1 text-fg-3">
      {t("field.blank")}
    </label>
  ) : (
    <TheirLabel htmlFor={htmlFor} text={label} />
  );
}

/** Any number of fixed values. None of them is also an answer, and different from no answer. */
export function ManyChoices({
  field,
  value,
  onChange,
  required,
  wiring,
}: {
  field: EnumField;
  value: JsonNode | undefined;
  onChange: (value: JsonNode | undefined) => void;
  required: boolean;
  wiring: Wiring;
}) {
  const { t } = useTranslation("form");
  const { asked, disabled } = useForm();
  const { id } = wiring;
  const chosen = value?.kind === "array" ? value.items : [];
  const isChosen = (option: EnumOption) => chosen.some((item) => sameJson(item, option.value));
  const toggle = (toggled: EnumOption, on: boolean) =>
    onChange(jsonArray(field.options.filter((option) => (option === toggled ? on : isChosen(option))).map((option) => option.value)));
  return (
    <div {...naming(wiring)} role="group" id={id} className={cx("flex gap-x-4 gap-y-1.5", asked ? "flex-col" : "flex-wrap")}>
      {field.options.map((option, index) => (
        <div key={index} className="flex items-start gap-2">
          <span className="mt-0.5 flex">
            <Checkbox id={`${id}-${index}`} checked={isChosen(option)} disabled={disabled} onChange={(on) => toggle(option, on)} />
          </span>
          <ChoiceLabel htmlFor={`${id}-${index}`} label={labelOf(option)} />
        </div>
      ))}
      {asked && !required && (
        <label htmlFor={`${id}-none`} className="flex items-start gap-2 text-fg-3">
          <span className="mt-0.5 flex">
            <Checkbox
              id={`${id}-none`}
              checked={value === undefined}
              disabled={disabled}
              onChange={(on) => onChange(on ? undefined : jsonArray([]))}
            />
          </span>
          {t("field.noAnswer")}
        </label>
      )}
    </div>
  );
}
