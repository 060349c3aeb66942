import { Check, type LucideIcon, Minus, Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import { UntrustedText } from "@/components/their-voice";
import type { AccountView } from "@/ipc/bindings/AccountView";
import { cx } from "@/lib/cx";
import { scopesOf } from "@/lib/logins";

const kinds = [
  { kind: "refused", icon: Minus, colour: "text-warn" },
  { kind: "added", icon: Plus, colour: "text-warn" },
  { kind: "granted", icon: Check, colour: "text-ok" },
] as const satisfies readonly { kind: string; icon: LucideIcon; colour: string }[];

/** How many scopes of a kind are shown at first. */
const SHOWN = 12;

/** The requested and the granted scopes. Differences come first and are named. */
export function Scopes({ account }: { account: AccountView }) {
  const { t } = useTranslation("accounts");
  const scopes = scopesOf(account);
  const differ = scopes.refused.length + scopes.added.length > 0;
  const none = !differ && scopes.granted.length === 0;
  return (
    <section aria-labelledby="account-scopes">
      <h3 id="account-scopes" className="m-0 mb-1 font-semibold">
        {t("scopes.title")}
      </h3>
      <p className="m-0 mb-2 text-fg-2">{t(none ? "scopes.none" : differ ? "scopes.differ" : "scopes.same")}</p>
      {kinds.map(({ kind, icon, colour }) =>
        scopes[kind].length === 0 ? null : (
          <div key={kind} className="mb-2 last:mb-0">
            {differ && (
              <h4 className={cx("m-0 mb-1 flex items-center gap-1.5 text-sm font-medium", colour)}>
                <Icon of={icon} size={12} />
                {t(`scopes.${kind}`)}
              </h4>
            )}
            <ScopeList label={t(`scopes.${kind}`)} scopes={scopes[kind]} refused={kind === "refused"} />
          </div>
        ),
      )}
    </section>
  );
}

function ScopeList({ label, scopes, refused }: { label: string; scopes: readonly string[]; refused: boolean }) {
  const { t } = useTranslation("accounts");
  const [all, setAll] = useState(false);
  // One more scope takes no more room than the button for it.
  const shown = all || scopes.length <= SHOWN + 1 ? scopes : scopes.slice(0, SHOWN);
  return (
    <>
      <ul aria-label={label} className="m-0 flex list-none flex-wrap gap-1 p-0">
        {shown.map((scope) => (
          <li
            key={scope}
            className={cx(
              "mono selectable max-w-full rounded-xs border px-1.5 wrap-any",
              refused ? "border-dashed border-control text-fg-2" : "border-line bg-sunken",
            )}
          >
            <UntrustedText text={scope} />
          </li>
        ))}
      </ul>
      {shown.length < scopes.length && (
        <Button look="ghost" className="mt-1 -ml-2.75" onClick={() => setAll(true)}>
          {t("scopes.more", { count: scopes.length - shown.length })}
        </Button>
      )}
    </>
  );
}
