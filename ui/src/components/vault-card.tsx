import { KeyRound, LockKeyholeOpen, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { VaultMark } from "@/components/vault-mark";
import type { VaultView } from "@/ipc/bindings/VaultView";
import { cx } from "@/lib/cx";
import { formatCount } from "@/lib/format";
import { showOverlay } from "@/lib/overlays";
import { wholeSentence } from "@/lib/sentence";
import { blocked, reasonOf, vaultStep, vaultWord } from "@/lib/vault";

/** Where the key is, what that means, how much is encrypted, and the available actions. */
export function VaultCard({ vault, bare = false }: { vault: VaultView; /** Inside a dialog, which has its own frame. */ bare?: boolean }) {
  const { t, i18n } = useTranslation("vault");
  const word = vaultWord(vault);
  const stopped = blocked(vault);
  const reason = reasonOf(vault);
  return (
    <section aria-label={t("title")} className={bare ? undefined : "rounded-m border border-line p-4"}>
      <div className="flex gap-3">
        <span className="grid size-8 shrink-0 place-items-center rounded-m border border-line bg-sunken">
          <VaultMark word={word} size={16} />
        </span>
        <div className="min-w-0 flex-1">
          <h3 className={cx("m-0 text-md font-semibold", stopped && "text-warn")}>{t(`state.${word}`)}</h3>
          <p className="selectable m-0 mt-0.5 max-w-160 text-fg-2">{t(`means.${word}`)}</p>
          {reason !== null && <p className="selectable m-0 mt-1 wrap-any text-fg-2">{wholeSentence(reason, i18n.language)}</p>}
          <p className="m-0 mt-2 text-sm text-fg-3 tabular">
            {t("card.sealed", { count: vault.sealed, shown: formatCount(vault.sealed, i18n.language) })}
          </p>
          <div className="mt-3 flex flex-wrap gap-2">
            {stopped && !bare && <Button onClick={() => showOverlay("vault")}>{t(`banner.${vaultStep(vault)}`)}</Button>}
            {vault.state === "open" && (
              <Button icon={KeyRound} onClick={() => showOverlay("vault_key")}>
                {t("card.change")}
              </Button>
            )}
            {vault.state === "closed" && !bare && (
              <Button icon={LockKeyholeOpen} onClick={() => showOverlay("vault")}>
                {t("card.open")}
              </Button>
            )}
            {vault.mode !== null && vault.state !== "opening" && vault.state !== "closed" && (
              <Button look="danger" icon={Trash2} onClick={() => showOverlay("vault_over")}>
                {t("card.startOver")}
              </Button>
            )}
          </div>
        </div>
      </div>
    </section>
  );
}
