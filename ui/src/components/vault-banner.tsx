import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { VaultMark } from "@/components/vault-mark";
import { vault } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { showOverlay } from "@/lib/overlays";
import { blocked, vaultStep, vaultText, vaultWord } from "@/lib/vault";

/** Warns that the vault is locked, or that it only lasts for this run. Otherwise hidden. */
export function VaultBanner({ className }: { className?: string }) {
  const { t, i18n } = useTranslation("vault");
  const { data } = useQuery(vault());
  if (!data) return null;
  const word = vaultWord(data);
  const stopped = blocked(data);
  if (!stopped && word !== "memory") return null;
  return (
    <div
      role={stopped ? "alert" : "note"}
      className={cx(
        "flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2",
        stopped ? "bg-warn-soft" : "bg-sunken",
        className,
      )}
    >
      <p className="m-0 flex min-w-60 flex-1 gap-2">
        <span className="mt-0.75">
          <VaultMark word={word} />
        </span>
        <span className="min-w-0 wrap-any">
          <b className="mr-1.5">{t(`state.${word}`)}</b>
          <span className="text-fg-2">{vaultText(data, i18n.language)}</span>
        </span>
      </p>
      {stopped ? (
        <Button onClick={() => showOverlay("vault")}>{t(`banner.${vaultStep(data)}`)}</Button>
      ) : (
        <Button look="ghost" onClick={() => showOverlay("vault_key")}>
          {t("card.move")}
        </Button>
      )}
    </div>
  );
}
