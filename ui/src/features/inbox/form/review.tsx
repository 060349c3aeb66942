import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CodeBlock } from "@/components/code-block";
import type { Draft } from "@/components/form/draft";
import type { Transport } from "@/ipc/bindings/Transport";
import { type JsonNode, jsonObject, jsonString, stringify } from "@/lib/schema/json";
import { betweenSentences } from "@/lib/sentence";
import { Part } from "../detail/part";
import { type Asked, answerIn } from "./answer";

const MASK = jsonString("••••••••");
/** An empty one is no secret. */
const isEmpty = (value: JsonNode) => value.kind === "null" || (value.kind === "string" && value.value === "");

/** Exactly what is sent. What looks like a secret is covered until somebody wants to see it. */
export function Review({ asked, draft, transport }: { asked: Asked; draft: Draft; transport: Transport }) {
  const { t, i18n } = useTranslation("inbox");
  const [open, setOpen] = useState(false);
  const answer = answerIn(asked, draft);
  const secrets = new Set(asked.fields.flatMap(({ name, looksSecret }) => (looksSecret ? [name] : [])));
  const covered = answer.members.map(({ key, value }) => ({ key, value: secrets.has(key) && !isEmpty(value) ? MASK : value }));
  const hidden = covered.some(({ value }) => value === MASK);
  const empty = asked.fields.length - answer.members.length;
  return (
    <Part
      title={t(transport === "stdio" ? "handed" : "leaves")}
      after={
        hidden && (
          <Button look="ghost" icon={open ? EyeOff : Eye} onClick={() => setOpen(!open)}>
            {t(open ? "review.hide" : "review.reveal")}
          </Button>
        )
      }
    >
      <div data-theirs>
        <CodeBlock text={stringify(open ? answer : jsonObject(covered))} indent copy={false} />
      </div>
      <p className="m-0 mt-1.5 text-sm text-balance text-fg-3">
        {t("review.exact")}
        {empty > 0 && `${betweenSentences(i18n.language)}${t("review.leftOut", { count: empty })}`}
      </p>
    </Part>
  );
}
