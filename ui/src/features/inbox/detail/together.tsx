import { useTranslation } from "react-i18next";
import { Switch } from "@/components/toggles";
import { QuotedName } from "@/components/their-voice";
import { formatAgo } from "@/lib/format";
import { useNow } from "@/lib/use-now";
import type { Question } from "../use-question";
import { Part } from "./part";

/** Equal questions: their callers, and whether one press answers all of them. Each gets its own decision. */
export function Together({ question: { together, over } }: { question: Question }) {
  const { t, i18n } = useTranslation("inbox");
  const now = useNow(1_000);
  const { views, all, setAll } = together;
  const count = views.length;
  if (count < 2) return null;
  return (
    <Part
      title={t("together.title", { count })}
      after={
        <>
          <label htmlFor="answer-together">{t("together.all", { count })}</label>
          <Switch id="answer-together" checked={all} onChange={setAll} disabled={over} />
        </>
      }
    >
      <ul className="m-0 list-none divide-y divide-line rounded-m border border-line bg-sunken p-0">
        {views.map((view) => (
          <li key={view.id} className="flex items-baseline gap-2.5 px-3 py-1.5">
            <b className="min-w-0 flex-1 wrap-any">
              <QuotedName text={view.serverName} />
            </b>
            <span className="shrink-0 text-sm text-fg-3 tabular">{formatAgo(view.askedAt, now, i18n.language)}</span>
          </li>
        ))}
      </ul>
      <p className="m-0 mt-1.5 text-sm text-balance text-fg-3">{t("together.about")}</p>
    </Part>
  );
}
