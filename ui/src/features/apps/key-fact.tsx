import { useTranslation } from "react-i18next";
import type { AppView } from "@/ipc/bindings/AppView";
import { Fact } from "./facts";
import { isKeylessInRepository, standingOf } from "@/lib/app-standing";

/** The state of an app's key, in two words. Nothing if a notice shows it, or no key is expected. */
export function KeyFact({ app }: { app: AppView }) {
  const { t } = useTranslation("apps");
  const word = wordOf(app);
  return (
    word !== null && (
      <Fact name={t("fact.key")}>
        <span className={word === "inEntry" ? undefined : word === "notAllowed" ? "text-fg-3" : "text-warn"}>{t(`key.${word}`)}</span>
      </Fact>
    )
  );
}

export const hasKeyFact = (app: AppView): boolean => wordOf(app) !== null;

function wordOf(app: AppView): "inEntry" | "allowed" | "notAllowed" | "invalid" | null {
  if (app.key === "current") return "inEntry";
  if ((app.state === "connected" && !isKeylessInRepository(app)) || app.key === "sealed") return null;
  if (app.key === "renew" || app.key === "refused") return "invalid";
  if (app.allowed) return "allowed";
  return isKeylessInRepository(app) || standingOf(app) === "notAllowed" ? "notAllowed" : null;
}
