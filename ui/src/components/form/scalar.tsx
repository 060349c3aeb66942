import { CalendarDays, Clock, Sparkles } from "lucide-react";
import type { ComponentProps, KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Input } from "@/components/input";
import { SecretInput } from "@/components/secret-input";
import { SegmentedControl } from "@/components/toggles";
import { composing } from "@/lib/composing";
import { cx } from "@/lib/cx";
import { isNumberText } from "@/lib/json-scan";
import { type JsonNode, jsonBoolean, jsonNumber, jsonString } from "@/lib/schema/json";
import type { BooleanField, NumberField, StringField } from "@/lib/schema/model";
import { naming, useForm, type Wiring } from "./form-context";
import { GrowingText } from "./growing-text";
import { shortValue } from "./hints";

export interface ControlProps<F> {
  field: F;
  name: string;
  value: JsonNode | undefined;
  /** Undefined removes the value. */
  onChange: (value: JsonNode | undefined) => void;
  /** The value can't be left out. */
  required: boolean;
  wiring: Wiring;
}

/** Values in a form that is closed can still be read and copied. */
export const still = "read-only:bg-sunken read-only:text-fg-2 read-only:hover:border-line-strong";
const CODE = /^(?:sql|code|script|source|source_code|html|css|json|xml|yaml|graphql|cypher|jq|expression|snippet|diff|patch)$/i;
const LONG = /^(?:content|contents|body|markdown|prompt|instructions|system_prompt|remarks)$/i;

const exampleOf = (field: StringField | NumberField) => {
  const example = field.defaultValue ?? field.examples[0];
  return example === undefined || example.kind === "object" || example.kind === "array" || example.kind === "null"
    ? undefined
    : shortValue(example, 80);
};

/** A text. An empty field removes an optional member. The field's menu can send empty text. */
export function StringControl({ field, name, value, onChange, wiring }: ControlProps<StringField>) {
  const { disabled } = useForm();
  const text = value?.kind === "string" ? value.value : "";
  const put = (next: string) => onChange(next === "" ? undefined : jsonString(next));
  const shared = {
    ...wiring,
    readOnly: disabled,
    value: text,
    placeholder: exampleOf(field),
    onChange: (event: { currentTarget: { value: string } }) => put(event.currentTarget.value),
  };
  if (field.secret === true) return <SecretInput fresh {...shared} className="max-w-80" />;
  switch (field.format) {
    case "date":
    case "time":
    case "date-time":
    case "uuid":
      return <FormattedControl shared={shared} format={field.format} put={put} />;
    case "email":
    case "uri":
      return <Input {...shared} code={field.format === "uri"} inputMode={field.format === "uri" ? "url" : "email"} className={still} />;
    default: {
      const code = CODE.test(name);
      const tall = code || LONG.test(name) || text.includes("\n") || (field.maxLength ?? 0) > 200;
      const onKeyDown = (event: KeyboardEvent) => {
        // In a single-line field, Enter would add an invisible line break. Shift Enter does so on purpose.
        if (event.key === "Enter" && !event.shiftKey && !tall && !composing(event.nativeEvent) && !event.ctrlKey && !event.metaKey)
          event.preventDefault();
      };
      return <GrowingText {...shared} code={code} room={code ? "tall" : tall ? "lines" : "line"} onKeyDown={onKeyDown} className={still} />;
    }
  }
}

const pad = (value: number) => String(value).padStart(2, "0");

type Suggested = "date" | "time" | "date-time" | "uuid";

/** Today, now, or a new identifier, depending on the format. */
function suggestion(format: Suggested): string {
  const now = new Date();
  const date = `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`;
  if (format === "date") return date;
  if (format === "uuid") return crypto.randomUUID();
  const offset = -now.getTimezoneOffset();
  const zone = offset === 0 ? "Z" : `${offset < 0 ? "-" : "+"}${pad(Math.floor(Math.abs(offset) / 60))}:${pad(Math.abs(offset) % 60)}`;
  const time = `${pad(now.getHours())}:${pad(now.getMinutes())}:${pad(now.getSeconds())}${zone}`;
  return format === "time" ? time : `${date}T${time}`;
}

const shapes = { date: "2026-05-17", time: "14:30:00Z", "date-time": "2026-05-17T14:30:00Z", uuid: "" } as const;
const icons = { date: CalendarDays, time: Clock, "date-time": Clock, uuid: Sparkles } as const;

function FormattedControl({
  shared,
  format,
  put,
}: {
  shared: ComponentProps<typeof Input>;
  format: Suggested;
  put: (text: string) => void;
}) {
  const { t } = useTranslation("form");
  return (
    <div className="flex gap-1.5">
      <Input
        {...shared}
        code
        placeholder={shared.placeholder ?? shapes[format]}
        className={cx(still, format === "uuid" ? "max-w-80" : "max-w-56")}
      />
      {shared.readOnly !== true && (
        <Button look="ghost" icon={icons[format]} onClick={() => put(suggestion(format))}>
          {t(`field.now.${format}`)}
        </Button>
      )}
    </div>
  );
}

/** A number, stored as typed. Invalid numbers stay as text and are marked. */
export function NumberControl({ field, value, onChange, wiring }: ControlProps<NumberField>) {
  const { disabled } = useForm();
  const text = value?.kind === "number" ? value.text : value?.kind === "string" ? value.value : "";
  const put = (next: string) => {
    const trimmed = next.trim();
    if (trimmed === "") onChange(undefined);
    else onChange(isNumberText(trimmed) ? jsonNumber(trimmed) : jsonString(next));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = event.key === "ArrowUp" ? 1n : event.key === "ArrowDown" ? -1n : 0n;
    if (disabled || direction === 0n || event.altKey || event.metaKey || !/^-?\d{1,400}$/.test(text === "" ? "0" : text)) return;
    event.preventDefault();
    put(String(BigInt(text === "" ? "0" : text) + direction * (event.shiftKey || event.ctrlKey ? 10n : 1n)));
  };
  const shared = {
    ...wiring,
    readOnly: disabled,
    value: text,
    placeholder: exampleOf(field),
    inputMode: field.integer ? ("numeric" as const) : ("decimal" as const),
    onChange: (event: { currentTarget: { value: string } }) => put(event.currentTarget.value),
  };
  if (field.secret === true) return <SecretInput fresh {...shared} className="max-w-80" />;
  return (
    <Input
      {...shared}
      onKeyDown={onKeyDown}
      size={Math.max(16, text.length + 1)}
      className={cx(still, "w-auto! max-w-full min-w-40! self-start tabular")}
    />
  );
}

/** Yes or no, or neither if it may be left out. */
export function BooleanControl({ value, onChange, required, wiring }: ControlProps<BooleanField>) {
  const { t } = useTranslation("form");
  const { asked, disabled } = useForm();
  const options = [
    { value: "true" as const, label: t("field.yes"), disabled },
    { value: "false" as const, label: t("field.no"), disabled },
    ...(required ? [] : [{ value: "none" as const, label: t(asked ? "field.noAnswer" : "field.notSet"), disabled }]),
  ];
  const shown = value?.kind === "boolean" ? (value.value ? "true" : "false") : required ? "" : "none";
  return (
    <div id={wiring.id} tabIndex={-1} className="w-fit rounded-s">
      <SegmentedControl
        {...naming(wiring)}
        value={shown}
        options={options}
        onChange={(next) => onChange(next === "none" || next === "" ? undefined : jsonBoolean(next === "true"))}
      />
    </div>
  );
}
