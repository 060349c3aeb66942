import { Braces, Eye, EyeOff, List } from "lucide-react";
import { Fragment, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CodeBlock } from "@/components/code-block";
import type { Draft } from "@/components/form/draft";
import { headOf } from "@/components/long-text";
import { UntrustedText } from "@/components/their-voice";
import type { Transport } from "@/ipc/bindings/Transport";
import { sameJson } from "@/lib/schema/equal";
import { type JsonNode, jsonObject, type JsonObject, jsonString, member, pathKey, stringify } from "@/lib/schema/json";
import { concrete, type Field } from "@/lib/schema/model";
import { betweenSentences } from "@/lib/sentence";
import { Part } from "../detail/part";
import { LongJson } from "../sampling/long-json";
import { type Asked, answerIn, secretsIn, unfilledIn } from "./answer";

const MASK = jsonString("••••••••");

/** A longer label is shortened. The form shows all of it. */
const LABEL = 400;
/** Of a longer text only the visible part is drawn. */
const PLAIN = 4_000;

/** Exactly what is sent. Values that look like secrets are hidden until the person shows them. */
export function Review({ asked, draft, transport }: { asked: Asked; draft: Draft; transport: Transport }) {
  const { t, i18n } = useTranslation("inbox");
  const [open, setOpen] = useState(false);
  const [asJson, setAsJson] = useState(false);
  const answer = answerIn(asked, draft);
  const secrets = secretsIn(asked, answer);
  const covered = jsonObject(answer.members.map(({ key, value }) => ({ key, value: secrets.has(key) ? MASK : value })));
  const shown = open ? answer : covered;
  const isList = !asJson && asked.fields.length > 0;
  const empty = asked.fields.length - answer.members.length;
  return (
    <Part
      step
      title={t(transport === "stdio" ? "handed" : "leaves")}
      after={
        <>
          {secrets.size > 0 && (
            <Button look="ghost" icon={open ? EyeOff : Eye} onClick={() => setOpen(!open)}>
              {t(open ? "review.hide" : "review.reveal")}
            </Button>
          )}
          {asked.fields.length > 0 && (
            <Button look="ghost" icon={asJson ? List : Braces} onClick={() => setAsJson(!asJson)}>
              {t(asJson ? "review.list" : "review.json")}
            </Button>
          )}
        </>
      }
    >
      {isList ? (
        <Answers asked={asked} shown={shown} covered={open ? new Set() : secrets} />
      ) : (
        <div data-theirs>
          <CodeBlock text={stringify(shown)} indent copy={false} />
        </div>
      )}
      <p className="m-0 mt-1.5 text-sm text-balance text-fg-3">
        {t(secrets.size > 0 && !open ? "review.exactCovered" : "review.exact")}
        {!isList && empty > 0 && `${betweenSentences(i18n.language)}${t("review.leftOut", { count: empty })}`}
      </p>
    </Part>
  );
}

/** Each field by its label, secrets first, with its answer as text. The JSON shows the exact notation. */
function Answers({ asked, shown, covered }: { asked: Asked; shown: JsonObject; covered: ReadonlySet<string> }) {
  const { t } = useTranslation("inbox");
  const unfilled = unfilledIn(asked, shown);
  const secrets = secretsIn(asked, shown);
  const rows = asked.root.properties.map(({ name, field }) => {
    const title = concrete(field).title;
    return { name, field, label: title?.trim() ? title : name, value: member(shown, name) };
  });
  const sent = rows
    .flatMap(({ value, ...row }) => (value === undefined ? [] : [{ ...row, value }]))
    .toSorted((left, right) => Number(secrets.has(right.name)) - Number(secrets.has(left.name)));
  const left = rows.filter(({ value }) => value === undefined);
  return (
    <dl className="selectable m-0 grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] gap-x-3 gap-y-2 rounded-m border border-line bg-sunken px-3 py-2.5">
      {sent.map(({ name, field, label, value }) => {
        const words = covered.has(name) ? [] : wordsOf(field, value, t);
        const plain = words.length > 0 || unfilled.has(pathKey([name])) ? null : plainOf(value);
        return (
          <Fragment key={name}>
            <dt data-theirs className="wrap-any text-fg-2">
              <TheirLine text={label} />
            </dt>
            <dd className="m-0 min-w-0 wrap-any">
              {words.map((word, index) => (
                <span key={index} data-theirs={word.ours ? undefined : true} className="block">
                  <TheirLine text={word.text} />
                </span>
              ))}
              {plain?.map((line, index) => (
                <span key={index} data-theirs className="block whitespace-pre-wrap">
                  <UntrustedText text={line} />
                </span>
              ))}
              {unfilled.has(pathKey([name])) ? (
                <span className="text-fg-3">{t("review.leftEmpty")}</span>
              ) : (
                words.length === 0 &&
                plain === null && (
                  <span data-theirs className="mono whitespace-pre-wrap">
                    <LongJson text={stringify(value)} />
                  </span>
                )
              )}
            </dd>
          </Fragment>
        );
      })}
      {left.length > 0 && (
        <>
          <dt className="text-fg-3">{t("review.notSent")}</dt>
          <dd data-theirs className="m-0 min-w-0 wrap-any text-fg-3">
            {left.map(({ name, label }, index) => (
              <Fragment key={name}>
                {index > 0 && ", "}
                <TheirLine text={label} />
              </Fragment>
            ))}
          </dd>
        </>
      )}
    </dl>
  );
}

function TheirLine({ text }: { text: string }) {
  return (
    <bdi>
      <UntrustedText text={headOf(text, LABEL).replaceAll(/\s+/g, " ")} />
      {text.length > LABEL && "…"}
    </bdi>
  );
}

/** Texts and numbers as typed, one per line. Null if only JSON can show the value. */
function plainOf(value: JsonNode): string[] | null {
  if (value.kind === "string") return value.value.length > PLAIN ? null : [value.value];
  if (value.kind === "number") return [value.text];
  if (value.kind !== "array" || value.items.length === 0) return null;
  const lines = value.items.map((item) => (item.kind === "array" ? null : plainOf(item)));
  return lines.some((line) => line === null || line[0] === "") ? null : lines.flatMap((line) => line ?? []);
}

interface Word {
  readonly text: string;
  /** Whether it is our word, not the server's. */
  readonly ours: boolean;
}

/** The label of an answer: a choice by the form's label, yes or no by ours. Empty if the value speaks for itself. */
function wordsOf(declared: Field, value: JsonNode, t: (key: "review.yes" | "review.no") => string): Word[] {
  const field = concrete(declared);
  if (field.kind === "enum") {
    const label = field.options.find((option) => sameJson(option.value, value))?.label;
    return label === undefined ? [] : [{ text: label, ours: false }];
  }
  if (field.kind === "boolean" && value.kind === "boolean") return [{ text: t(value.value ? "review.yes" : "review.no"), ours: true }];
  const items = field.kind === "array" ? field.items : null;
  return items !== null && value.kind === "array" ? value.items.flatMap((item) => wordsOf(items, item, t)) : [];
}
