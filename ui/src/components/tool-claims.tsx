import { TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { ToolHints } from "@/ipc/bindings/ToolHints";
import { claimsOf } from "@/lib/tool-claims";
import { Chip } from "./chip";
import { Icon } from "./icon";

/** The server's claims about a tool's effects, for its frame. Null if there are none. */
export function toolClaims(hints: ToolHints) {
  const claims = claimsOf(hints);
  return claims.length === 0 ? null : <ToolClaims claims={claims} />;
}

function ToolClaims({ claims }: { claims: ReturnType<typeof claimsOf> }) {
  const { t } = useTranslation();
  return (
    <ul aria-label={t("claim.label")} className="m-0 flex list-none flex-wrap gap-1.5 p-0">
      {claims.map((claim) => (
        <li key={claim}>
          {claim === "destructive" ? (
            <Chip tone="bad">
              <Icon of={TriangleAlert} size={12} />
              {t("claim.destructive")}
            </Chip>
          ) : (
            <Chip>{t(`claim.${claim}`)}</Chip>
          )}
        </li>
      ))}
    </ul>
  );
}
