import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { CompletionReference } from "@/ipc/bindings/CompletionReference";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { looksSecret } from "@/lib/secrets";
import type { Target } from "../target";
import { CompletionInput } from "./completion-input";
import { FieldRow } from "@/components/form/field-row";
import { GrowingText } from "@/components/form/growing-text";
import { SecretInput } from "@/components/secret-input";
import { recordOf, setText, type Texts, useTexts } from "./texts";

/** A value of a template or prompt. All of them are texts. */
export interface TextFieldSpec {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly required: boolean;
}

const LONG = /^(?:code|content|contents|text|body|markdown|prompt|instructions|diff|patch|query|sql|message|remarks|transcript|document)$/i;

/** The id of a field's control. */
export function textFieldId(target: Target, name: string): string {
  return `text-${encodeURIComponent(`${target.kind}/${target.name}/${name}`.toWellFormed())}`;
}

/** The required fields without a value. */
export function gapsOf(fields: readonly TextFieldSpec[], values: Texts): string[] {
  return fields.filter((field) => field.required && !values.has(field.name)).map((field) => field.name);
}

/** The values of a template or prompt, with the server's suggestions for each. */
export function TextForm({
  server,
  target,
  fields,
  reference,
}: {
  server: ServerView;
  target: Target;
  fields: readonly TextFieldSpec[];
  reference: CompletionReference;
}) {
  const { values } = useTexts(server.id, target);
  // A value that looks like a secret is sent to no one for completion.
  const open = fields.filter((field) => !looksSecret(field.name, values.get(field.name) ?? "")).map((field) => field.name);
  return (
    <div className="flex flex-col gap-3.5">
      {fields.map((field) => {
        const context = recordOf(
          values,
          open.filter((name) => name !== field.name),
        );
        return <TextField key={field.name} server={server} target={target} field={field} context={context} reference={reference} />;
      })}
    </div>
  );
}

function TextField({
  server,
  target,
  field,
  context,
  reference,
}: {
  server: ServerView;
  target: Target;
  field: TextFieldSpec;
  context: Record<string, string>;
  reference: CompletionReference;
}) {
  const { t } = useTranslation("form");
  const { values, revealed } = useTexts(server.id, target);
  const [left, setLeft] = useState(false);
  const { name } = field;
  const value = values.get(name) ?? "";
  const gap = field.required && value === "" && (revealed || left);
  const put = (next: string) => setText(server.id, target, name, next);
  return (
    <FieldRow
      id={textFieldId(target, name)}
      server={server.name}
      name={name}
      title={field.title ?? undefined}
      description={field.description ?? undefined}
      required={field.required}
      error={gap ? t("problem.required") : null}
      onLeave={() => setLeft(left || value !== "")}
    >
      {(wiring) => {
        if (looksSecret(name, "")) return <SecretInput {...wiring} fresh value={value} onChange={(event) => put(event.target.value)} />;
        if (LONG.test(name) || value.includes("\n"))
          return <GrowingText {...wiring} room="lines" value={value} onChange={(event) => put(event.target.value)} />;
        return (
          <CompletionInput
            {...wiring}
            name={name}
            value={value}
            request={{ id: server.id, reference, argument: name, context }}
            onChange={put}
          />
        );
      }}
    </FieldRow>
  );
}
