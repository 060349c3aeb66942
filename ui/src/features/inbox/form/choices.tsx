import { RadioGroup } from "radix-ui";
import { useTranslation } from "react-i18next";
import { Select } from "@/components/select";
import { Checkbox } from "@/components/toggles";
import type { FormChoice } from "@/ipc/bindings/FormChoice";
import { visibleLine } from "@/lib/untrusted";
import type { InputProps } from "./field-input";
import { TheirLabel } from "./their-label";
import { answerOf, mayBeEmpty } from "./values";
import { keyOf } from "./written";

/** More choices than this are a list that opens, where each of them fits on one of its lines. */
const SEEN_AT_ONCE = 8;
const ONE_LINE = 40;
const NONE = "none";

/** What a choice is called; empty where the server has no word for it that can be seen. */
const labelOf = ({ title, value }: FormChoice) => [title ?? "", value].find((label) => label.trim() !== "") ?? "";

type Props = Omit<InputProps, "value"> & { value: InputProps["value"]; choices: readonly FormChoice[] };

/** One of several. The values stand for themselves by their place, whatever they are. */
export function OneChoice({ field, value, choices, disabled, onChange, id, labelledBy, describedBy, invalid }: Props) {
  const { t } = useTranslation("inbox");
  const at = choices.findIndex((choice) => keyOf(choice) === value);
  const chosen = at === -1 ? (mayBeEmpty(field) ? NONE : "") : String(at);
  const choose = (next: string) => {
    const choice = next === NONE ? undefined : choices[Number(next)];
    onChange(choice === undefined ? null : keyOf(choice));
  };
  const options = choices.map((choice, index) => ({ value: String(index), choice }));
  if (choices.length > SEEN_AT_ONCE && choices.every((choice) => visibleLine(labelOf(choice)).length <= ONE_LINE)) {
    return (
      <div data-theirs>
        <Select
          id={id}
          value={chosen === "" ? undefined : chosen}
          onChange={choose}
          disabled={disabled}
          placeholder={t("form.choose")}
          options={[
            ...(!mayBeEmpty(field) ? [] : [{ value: NONE, label: t("form.noAnswer") }]),
            ...options.map((option) => ({ value: option.value, label: visibleLine(labelOf(option.choice)) || t("form.blank") })),
          ]}
          className="w-full max-w-110"
          aria-describedby={describedBy}
          aria-invalid={invalid || undefined}
        />
      </div>
    );
  }
  return (
    <RadioGroup.Root
      id={id}
      value={chosen}
      onValueChange={choose}
      disabled={disabled}
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      className="flex flex-col gap-1.5"
    >
      {options.map(({ value: place, choice }) => (
        <div key={place} className="flex items-start gap-2">
          <Radio id={`${id}-${place}`} value={place} />
          <ChoiceLabel htmlFor={`${id}-${place}`} choice={choice} />
        </div>
      ))}
      {mayBeEmpty(field) && (
        <label htmlFor={`${id}-none`} className="flex items-start gap-2 text-fg-3">
          <Radio id={`${id}-none`} value={NONE} />
          {t("form.noAnswer")}
        </label>
      )}
    </RadioGroup.Root>
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

/** What the server calls a choice; our word where it calls it nothing. */
function ChoiceLabel({ htmlFor, choice }: { htmlFor: string; choice: FormChoice }) {
  const { t } = useTranslation("inbox");
  const label = labelOf(choice);
  return label === "" ? (
    <label htmlFor={htmlFor} className="min-w-0 flex-1 text-fg-3">
      {t("form.blank")}
    </label>
  ) : (
    <TheirLabel htmlFor={htmlFor} text={label} />
  );
}

/** Any number of several: also none of them, which is another answer than no answer. */
export function ManyChoices({ field, value, choices, disabled, onChange, id, labelledBy, describedBy }: Props) {
  const { t } = useTranslation("inbox");
  const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
  const toggle = (choice: string, on: boolean) =>
    onChange(choices.map(keyOf).filter((item) => (item === choice ? on : chosen.includes(item))));
  return (
    <div role="group" id={id} aria-labelledby={labelledBy} aria-describedby={describedBy} className="flex flex-col gap-1.5">
      {choices.map((choice, index) => (
        <div key={index} className="flex items-start gap-2">
          <span className="mt-0.5 flex">
            <Checkbox
              id={`${id}-${index}`}
              checked={chosen.includes(keyOf(choice))}
              disabled={disabled}
              onChange={(on) => toggle(keyOf(choice), on)}
            />
          </span>
          <ChoiceLabel htmlFor={`${id}-${index}`} choice={choice} />
        </div>
      ))}
      {mayBeEmpty(field) && (
        <label htmlFor={`${id}-none`} className="flex items-start gap-2 text-fg-3">
          <span className="mt-0.5 flex">
            <Checkbox
              id={`${id}-none`}
              checked={answerOf(field, value) === null}
              disabled={disabled}
              onChange={(on) => onChange(on ? null : [])}
            />
          </span>
          {t("form.noAnswer")}
        </label>
      )}
    </div>
  );
}
