import { RadioGroup } from "radix-ui";
import { useTranslation } from "react-i18next";
import { Select } from "@/components/select";
import { UntrustedText } from "@/components/their-voice";
import { Checkbox } from "@/components/toggles";
import type { FormChoice } from "@/ipc/bindings/FormChoice";
import { visibleLine } from "@/lib/untrusted";
import type { InputProps } from "./field-input";

/** More choices than this are a list that opens. */
const SEEN_AT_ONCE = 8;
const NONE = "none";
const LABEL_UP_TO = 160;

const labelOf = (choice: FormChoice) => (choice.title ?? choice.value).slice(0, LABEL_UP_TO);

type Props = Omit<InputProps, "value"> & { value: InputProps["value"]; choices: readonly FormChoice[] };

/** One of several. The values stand for themselves by their place, whatever they are. */
export function OneChoice({ field, value, choices, disabled, onChange, id, labelledBy, describedBy, invalid }: Props) {
  const { t } = useTranslation("inbox");
  const at = choices.findIndex((choice) => choice.value === value);
  const chosen = at === -1 ? (field.required ? "" : NONE) : String(at);
  const choose = (next: string) => onChange(next === NONE ? null : (choices[Number(next)]?.value ?? null));
  const options = choices.map((choice, index) => ({ value: String(index), choice }));
  if (choices.length > SEEN_AT_ONCE) {
    return (
      <div data-theirs>
        <Select
          id={id}
          value={chosen === "" ? undefined : chosen}
          onChange={choose}
          disabled={disabled}
          placeholder={t("form.choose")}
          options={[...(field.required ? [] : [{ value: NONE, label: t("form.noAnswer") }]), ...options.map((option) => ({ value: option.value, label: visibleLine(labelOf(option.choice)) }))]}
          className="w-full max-w-110"
          aria-describedby={describedBy}
          aria-invalid={invalid || undefined}
        />
      </div>
    );
  }
  return (
    <RadioGroup.Root id={id} value={chosen} onValueChange={choose} disabled={disabled} aria-labelledby={labelledBy} aria-describedby={describedBy} className="flex flex-col gap-1.5">
      {options.map(({ value: place, choice }) => (
        <label key={place} htmlFor={`${id}-${place}`} className="flex items-start gap-2">
          <Radio id={`${id}-${place}`} value={place} />
          <span data-theirs className="min-w-0 wrap-any"><bdi><UntrustedText text={labelOf(choice)} /></bdi></span>
        </label>
      ))}
      {!field.required && <label htmlFor={`${id}-none`} className="flex items-start gap-2 text-fg-3"><Radio id={`${id}-none`} value={NONE} />{t("form.noAnswer")}</label>}
    </RadioGroup.Root>
  );
}

function Radio({ id, value }: { id: string; value: string }) {
  return (
    <RadioGroup.Item id={id} value={value} className="mt-0.5 grid size-4 shrink-0 place-items-center rounded-full border border-control bg-surface transition-colors data-[state=checked]:border-accent disabled:opacity-50">
      <RadioGroup.Indicator className="block size-2 rounded-full bg-accent" />
    </RadioGroup.Item>
  );
}

/** Any number of several. */
export function ManyChoices({ value, choices, disabled, onChange, id, labelledBy, describedBy }: Props) {
  const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
  const toggle = (choice: string, on: boolean) => onChange(choices.map((item) => item.value).filter((item) => (item === choice ? on : chosen.includes(item))));
  return (
    <div role="group" id={id} aria-labelledby={labelledBy} aria-describedby={describedBy} className="flex flex-col gap-1.5">
      {choices.map((choice, index) => (
        <label key={index} htmlFor={`${id}-${index}`} className="flex items-start gap-2">
          <span className="mt-0.5 flex"><Checkbox id={`${id}-${index}`} checked={chosen.includes(choice.value)} disabled={disabled} onChange={(on) => toggle(choice.value, on)} /></span>
          <span data-theirs className="min-w-0 wrap-any"><bdi><UntrustedText text={labelOf(choice)} /></bdi></span>
        </label>
      ))}
    </div>
  );
}
