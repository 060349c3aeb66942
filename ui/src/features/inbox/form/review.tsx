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

/** Of a longer label the form has the rest. */
const LABEL = 400;

/** Exactly what is sent. What looks like a secret is covered until somebody wants to see it. */
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
        {t("review.exact")}
        {!isList && empty > 0 && `${betweenSentences(i18n.language)}${t("review.leftOut", { count: empty })}`}
      </p>
    </Part>
  );
}

/** Each field by its label, with what is sent of it as JSON: nothing in a text is lost, and what is hidden is spelled out. */
function Answers({ asked, shown, covered }: { asked: Asked; shown: JsonObject; covered: ReadonlySet<string> }) {
  const { t } = useTranslation("inbox");
  const unfilled = unfilledIn(asked, shown);
  return (
    <dl className="selectable m-0 grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] gap-x-3 gap-y-2 rounded-m border border-line bg-sunken px-3 py-2.5">
      {asked.root.properties.map(({ name, field }) => {
        const value = member(shown, name);
        const { title } = concrete(field);
        return (
          <Fragment key={name}>
            <dt data-theirs className="wrap-any text-fg-2">
              <TheirLine text={title?.trim() ? title : name} />
            </dt>
            <dd className="m-0 min-w-0 wrap-any">
              {value === undefined ? (
                <span className="text-fg-3">{t("review.notSent")}</span>
              ) : (
                <>
                  <span data-theirs className="mono whitespace-pre-wrap">
                    <LongJson text={stringify(value)} />
                  </span>
                  {unfilled.has(pathKey([name])) && <span className="ml-2 text-fg-3">{t("review.leftEmpty")}</span>}
                  {!covered.has(name) &&
                    titlesOf(field, value).map((chosen, index) => (
                      <span key={index} data-theirs className="block text-fg-2">
                        <TheirLine text={chosen} />
                      </span>
                    ))}
                </>
              )}
            </dd>
          </Fragment>
        );
      })}
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

/** What the form calls what was chosen. */
function titlesOf(declared: Field, value: JsonNode): string[] {
  const field = concrete(declared);
  if (field.kind === "enum") {
    const label = field.options.find((option) => sameJson(option.value, value))?.label;
    return label === undefined ? [] : [label];
  }
  const items = field.kind === "array" ? field.items : null;
  return items !== null && value.kind === "array" ? value.items.flatMap((item) => titlesOf(items, item)) : [];
}
