import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CodeBlock } from "@/components/code-block";
import type { FormField } from "@/ipc/bindings/FormField";
import type { Transport } from "@/ipc/bindings/Transport";
import { betweenSentences } from "@/lib/sentence";
import { Part } from "../detail/frame";
import { answerOf, contentOf, type Values } from "./values";

const MASK = "••••••••";

/** Exactly what is sent. What looks like a secret is covered until somebody wants to see it. */
export function Review({ fields, values, transport }: { fields: readonly FormField[]; values: Values; transport: Transport }) {
  const { t, i18n } = useTranslation("inbox");
  const [open, setOpen] = useState(false);
  const answers = new Map(fields.map((field) => [field.name, answerOf(field, values.get(field.name))]));
  // An empty one is no secret.
  const secrets = fields.filter(({ name, looksSecret }) => looksSecret && answers.get(name) !== null && answers.get(name) !== "");
  const covered = new Map(values);
  for (const field of secrets) covered.set(field.name, MASK);
  const empty = fields.filter(({ name, required, nullable }) => answers.get(name) === null && !(required && nullable)).length;
  return (
    <Part
      title={t(transport === "stdio" ? "handed" : "leaves")}
      after={
        secrets.length > 0 && (
          <Button look="ghost" icon={open ? EyeOff : Eye} onClick={() => setOpen(!open)}>
            {t(open ? "review.hide" : "review.reveal")}
          </Button>
        )
      }
    >
      <div data-theirs>
        <CodeBlock text={contentOf(fields, open ? values : covered)} indent copy={false} />
      </div>
      <p className="m-0 mt-1.5 text-sm text-balance text-fg-3">
        {t("review.exact")}
        {empty > 0 && `${betweenSentences(i18n.language)}${t("review.leftOut", { count: empty })}`}
      </p>
    </Part>
  );
}
