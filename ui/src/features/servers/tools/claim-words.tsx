import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import type { Claim } from "@/lib/tool-claims";

/** Adding or deleting implies changing data, so that claim is left out. */
const worthSaying = (claims: readonly Claim[]) =>
  claims.some((claim) => claim === "destructive" || claim === "notDestructive")
    ? claims.filter((claim) => claim !== "notReadOnly")
    : claims;

/** A server's claims about a tool's effects. The line only breaks between claims. */
export function ClaimWords({ claims }: { claims: readonly Claim[] }) {
  const { t } = useTranslation(["servers", "common"]);
  if (claims.length === 0) return null;
  return (
    <span className="block overflow-x-clip text-sm text-fg-3">
      <ul aria-label={t("common:claim.label")} className="m-0 -ml-3 flex list-none flex-wrap p-0">
        {worthSaying(claims).map((claim, at) => (
          <li key={claim} title={`${t("common:claim.label")} ${t(`common:claim.${claim}`)}`} className="relative pl-3">
            {at > 0 && (
              <span aria-hidden className="absolute left-0 w-3 text-center whitespace-pre">
                {" · "}
              </span>
            )}
            {at === 0 && <span aria-hidden>{t("tool.says")} </span>}
            <span className={cx(claim === "destructive" && "font-medium text-bad")}>{t(`common:claim.${claim}`)}</span>
          </li>
        ))}
      </ul>
    </span>
  );
}
