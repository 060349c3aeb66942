import { Check, type LucideIcon, Minus, Plus } from "lucide-react";
import { useTranslation } from "react-i18next";
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

/** What was asked for and what was granted; a difference stands first and is named. */
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
            <ul
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
              tabIndex={0}
              aria-label={t(`scopes.${kind}`)}
              className="inset-focus m-0 flex max-h-48 list-none flex-wrap gap-1 overflow-y-auto p-0"
            >
              {scopes[kind].map((scope) => (
                <li
                  key={scope}
                  className={cx(
                    "mono selectable max-w-full rounded-xs border px-1.5 wrap-any",
                    kind === "refused" ? "border-dashed border-control text-fg-2" : "border-line bg-sunken",
                  )}
                >
                  <UntrustedText text={scope} />
                </li>
              ))}
            </ul>
          </div>
        ),
      )}
    </section>
  );
}
