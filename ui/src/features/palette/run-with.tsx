import { type KeyboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Field } from "@/components/field";
import { Input } from "@/components/input";
import { Select } from "@/components/select";
import { composing } from "@/lib/composing";
import { errorText } from "@/lib/error-text";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useOpenWork } from "@/lib/work-focus";
import { type Argument, argumentsText, isWritten, simpleArguments } from "./arguments";
import type { ToolOf } from "./entry";

const intoFocus = (form: HTMLFormElement | null) => form?.querySelector<HTMLElement>("input, button")?.focus();

/** A field for each argument of a tool. They are then filled in in the Workbench. Nothing runs here. */
export function RunWith({ of: { server, tool }, onBack, onDone }: { of: ToolOf; onBack: () => void; onDone: () => void }) {
  const { t } = useTranslation(["palette", "common"]);
  const openWork = useOpenWork();
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map());
  const [tried, setTried] = useState(false);
  const args = simpleArguments(tool.inputSchema) ?? [];
  const write = (name: string, value: string) => setTyped((now) => new Map(now).set(name, value));

  const submit = async () => {
    setTried(true);
    if (!args.every((argument) => isWritten(argument, typed.get(argument.name) ?? ""))) return;
    try {
      // Loaded on demand, because the palette is part of the first load.
      const { putArguments } = await import("@/features/workbench/args/put-arguments");
      if (!putArguments(server.id, tool, argumentsText(args, typed)))
        return void toast({ tone: "bad", text: t("args.broken", { tool: visibleLine(tool.name) }) });
    } catch (error) {
      return void toast({ tone: "bad", text: errorText(error) });
    }
    onDone();
    openWork(server.id, "tool", tool.name);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // One Backspace too many must not lose text in another field.
    if (event.key !== "Backspace" || composing(event.nativeEvent) || [...typed.values()].some((value) => value !== "")) return;
    event.preventDefault();
    onBack();
  };

  return (
    // Handles the keys of its fields.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <form
      ref={intoFocus}
      aria-label={t("args.label", { tool: visibleLine(tool.name) })}
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-4 py-3">
        {args.map((argument) => {
          const value = typed.get(argument.name) ?? "";
          return (
            <Field
              key={argument.name}
              label={<bdi className="mono wrap-any">{visibleLine(argument.name)}</bdi>}
              note={argument.required ? undefined : t("common:optional")}
              error={tried && !isWritten(argument, value) && t("args.number")}
            >
              {(wiring) => (
                <ArgumentField argument={argument} value={value} wiring={wiring} onChange={(next) => write(argument.name, next)} />
              )}
            </Field>
          );
        })}
      </div>
      <footer className="flex shrink-0 items-center gap-2 border-t border-line bg-sunken px-4 py-2">
        <span className="min-w-0 flex-1 truncate text-xs text-fg-3">{t("args.hint")}</span>
        <Button onClick={onBack}>{t("args.back")}</Button>
        <Button type="submit" look="primary" keys="enter">
          {t("tool.open")}
        </Button>
      </footer>
    </form>
  );
}

function ArgumentField({
  argument: { type, choices, required },
  value,
  wiring,
  onChange,
}: {
  argument: Argument;
  value: string;
  wiring: { id: string; "aria-describedby": string | undefined; "aria-invalid": true | undefined };
  onChange: (value: string) => void;
}) {
  const { t } = useTranslation("form");
  const values = type === "boolean" ? ["true", "false"] : choices;
  if (values !== null)
    return (
      <Select
        {...wiring}
        value={value === "" ? undefined : value}
        placeholder={t(required ? "field.choose" : "field.notSet")}
        options={values.map((one) => ({ value: one, label: visibleLine(one) }))}
        onChange={onChange}
      />
    );
  return (
    <Input
      {...wiring}
      code
      inputMode={type === "number" ? "decimal" : "text"}
      aria-required={required}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
