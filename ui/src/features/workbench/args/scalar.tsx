import { Input } from "@/components/input";
import { SegmentedControl } from "@/components/toggles";
import { Select } from "@/components/select";
import type { KeyboardEvent } from "react";
import { CalendarDays, Clock, Sparkles } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { composing } from "@/lib/composing";
import { type JsonNode, jsonBoolean, jsonNumber, jsonString } from "@/lib/schema/json";
import { isNumberText } from "@/lib/json-scan";
import { sameJson } from "@/lib/schema/equal";
import type { BooleanField, EnumField, NumberField, StringField } from "@/lib/schema/model";
import { visibleLine } from "@/lib/untrusted";
import { Combobox } from "./combobox";
import { GrowingText } from "./growing-text";
import type { Wiring } from "./form-context";
import { shortValue } from "./hints";
import { SecretInput } from "./secret-input";

export interface ControlProps<F> {
  field: F;
  name: string;
  value: JsonNode | undefined;
  /** Undefined leaves it out. */
  onChange: (value: JsonNode | undefined) => void;
  onBlur: () => void;
  /** Something must be there: nothing to leave out. */
  required: boolean;
  wiring: Wiring;
}

const CODE = /^(?:sql|code|script|source|source_code|html|css|json|xml|yaml|graphql|cypher|jq|expression|snippet|diff|patch)$/i;
const LONG = /^(?:content|contents|body|markdown|prompt|instructions|system_prompt|remarks)$/i;

const exampleOf = (field: StringField | NumberField) => {
  const example = field.defaultValue ?? field.examples[0];
  return example === undefined || example.kind === "object" || example.kind === "array" || example.kind === "null"
    ? undefined
    : shortValue(example, 80);
};

/** Text. An empty box leaves an optional member out; empty text is sent by the field's menu. */
export function StringControl(props: ControlProps<StringField>) {
  const { field, name, value, onChange, onBlur, wiring } = props;
  const text = value?.kind === "string" ? value.value : "";
  const put = (next: string) => onChange(next === "" ? undefined : jsonString(next));
  const placeholder = exampleOf(field);
  switch (field.format) {
    case "password":
      return <SecretInput {...wiring} name={name} value={text} onChange={(event) => put(event.target.value)} onBlur={onBlur} />;
    case "date":
    case "time":
    case "date-time":
    case "uuid":
      return <FormattedControl {...props} text={text} put={put} />;
    case "email":
    case "uri":
      return (
        <Input
          {...wiring}
          code={field.format === "uri"}
          value={text}
          placeholder={placeholder}
          onChange={(event) => put(event.target.value)}
          onBlur={onBlur}
        />
      );
    default: {
      const code = CODE.test(name);
      const tall = code || LONG.test(name) || text.includes("\n") || (field.maxLength ?? 0) > 200;
      const onKeyDown = (event: KeyboardEvent) => {
        // In a one-line box Enter would add a line break that nobody sees; with Shift it is meant.
        if (event.key === "Enter" && !event.shiftKey && !tall && !composing(event.nativeEvent) && !event.ctrlKey && !event.metaKey)
          event.preventDefault();
      };
      return (
        <GrowingText
          {...wiring}
          code={code}
          room={code ? "tall" : tall ? "lines" : "line"}
          value={text}
          placeholder={placeholder}
          onKeyDown={onKeyDown}
          onChange={(event) => put(event.target.value)}
          onBlur={onBlur}
        />
      );
    }
  }
}

interface TextProps extends ControlProps<StringField> {
  text: string;
  put: (text: string) => void;
}

const pad = (value: number) => String(value).padStart(2, "0");

/** Today, this moment or a new identifier, as the format wants it. */
function suggestion(format: StringField["format"]): string {
  const now = new Date();
  const date = `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`;
  if (format === "date") return date;
  if (format === "uuid") return crypto.randomUUID();
  const offset = -now.getTimezoneOffset();
  const zone = offset === 0 ? "Z" : `${offset < 0 ? "-" : "+"}${pad(Math.floor(Math.abs(offset) / 60))}:${pad(Math.abs(offset) % 60)}`;
  const time = `${pad(now.getHours())}:${pad(now.getMinutes())}:${pad(now.getSeconds())}${zone}`;
  return format === "time" ? time : `${date}T${time}`;
}

function FormattedControl({ field, text, put, onBlur, wiring }: TextProps) {
  const { t } = useTranslation("workbench");
  const format = field.format === "date" || field.format === "time" || field.format === "uuid" ? field.format : "date-time";
  const shapes = { date: "2026-05-17", time: "14:30:00Z", "date-time": "2026-05-17T14:30:00Z", uuid: "" } as const;
  const icons = { date: CalendarDays, time: Clock, "date-time": Clock, uuid: Sparkles } as const;
  return (
    <div className="flex gap-1.5">
      <Input
        {...wiring}
        code
        value={text}
        placeholder={exampleOf(field) ?? shapes[format]}
        onChange={(event) => put(event.target.value)}
        onBlur={onBlur}
        className={format === "uuid" ? "max-w-80" : "max-w-56"}
      />
      <Button look="ghost" icon={icons[format]} onClick={() => put(suggestion(field.format))}>
        {t(`form.now.${format}`)}
      </Button>
    </div>
  );
}

/** A number, kept as it is typed: what is not a number yet stays as text and is marked. */
export function NumberControl({ field, value, onChange, onBlur, wiring }: ControlProps<NumberField>) {
  const text = value?.kind === "number" ? value.text : value?.kind === "string" ? value.value : "";
  const put = (next: string) => {
    const trimmed = next.trim();
    if (trimmed === "") onChange(undefined);
    else onChange(isNumberText(trimmed) ? jsonNumber(trimmed) : jsonString(next));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = event.key === "ArrowUp" ? 1n : event.key === "ArrowDown" ? -1n : 0n;
    if (direction === 0n || event.altKey || event.metaKey || !/^-?\d{1,400}$/.test(text === "" ? "0" : text)) return;
    event.preventDefault();
    put(String(BigInt(text === "" ? "0" : text) + direction * (event.shiftKey || event.ctrlKey ? 10n : 1n)));
  };
  return (
    <Input
      {...wiring}
      inputMode={field.integer ? "numeric" : "decimal"}
      value={text}
      placeholder={exampleOf(field)}
      onChange={(event) => put(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={onBlur}
      size={Math.max(16, text.length + 1)}
      className="w-auto! max-w-full min-w-40! self-start tabular"
    />
  );
}

/** Yes or no, or neither where it may be left out. */
export function BooleanControl({ name, value, onChange, onBlur, required, wiring }: ControlProps<BooleanField>) {
  const { t } = useTranslation("workbench");
  const options = [
    ...(required ? [] : [{ value: "none" as const, label: t("form.notSet") }]),
    { value: "true" as const, label: t("form.yes") },
    { value: "false" as const, label: t("form.no") },
  ];
  const shown = value?.kind === "boolean" ? (value.value ? "true" : "false") : required ? "" : "none";
  return (
    <div id={wiring.id} tabIndex={-1} className="w-fit rounded-s">
      <SegmentedControl
        label={visibleLine(name)}
        value={shown}
        options={options}
        onChange={(next) => {
          onChange(next === "none" || next === "" ? undefined : jsonBoolean(next === "true"));
          onBlur();
        }}
      />
    </div>
  );
}

const LEFT_OUT = "none";
/** A list this long is searched rather than read. */
const SEARCHED = 24;

/** One of a list of values. */
export function EnumControl({ field, value, onChange, onBlur, required, wiring, name }: ControlProps<EnumField>) {
  const { t } = useTranslation("workbench");
  const [only] = field.options;
  const labels = field.options.map((option) => (option.label === undefined ? shortValue(option.value, 80) : visibleLine(option.label)));
  const at = value === undefined ? -1 : field.options.findIndex((option) => sameJson(option.value, value));
  const pick = (index: number) => {
    onChange(field.options[index]?.value);
    onBlur();
  };
  if (only !== undefined && field.options.length === 1 && required && at === 0) {
    return (
      <output
        id={wiring.id}
        className="mono inline-flex h-7.5 max-w-full items-center truncate rounded-s border border-line bg-sunken px-2.25 text-fg-2"
      >
        {labels[0]}
      </output>
    );
  }
  const placeholder = value === undefined || value.kind === "null" ? t(required ? "form.choose" : "form.notSet") : shortValue(value);
  if (field.options.length > SEARCHED) {
    return (
      <Combobox
        {...wiring}
        name={name}
        labels={labels}
        at={at}
        placeholder={placeholder}
        clearable={!required}
        onPick={(index) => (index === null ? pick(-1) : pick(index))}
      />
    );
  }
  const options = labels.map((label, index) => ({ value: String(index), label: label === "" ? t("form.emptyText") : label }));
  return (
    <Select
      {...wiring}
      value={at < 0 ? undefined : String(at)}
      placeholder={placeholder}
      options={required ? options : [{ value: LEFT_OUT, label: t("form.notSet") }, ...options]}
      onChange={(next) => pick(next === LEFT_OUT ? -1 : Number(next))}
      className="w-full max-w-80"
    />
  );
}
