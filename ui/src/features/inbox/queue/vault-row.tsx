import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { VaultMark } from "@/components/vault-mark";
import { vault } from "@/ipc/queries";
import { showOverlay } from "@/lib/overlays";
import { vaultStep, vaultText, vaultWord } from "@/lib/vault";
import { useLockedServers } from "@/lib/waiting";

/** The vault that servers wait for, above the questions. It opens the vault dialog, because no server asks this. */
export function VaultRow() {
  const { t, i18n } = useTranslation("vault");
  const { data } = useQuery(vault());
  const locked = useLockedServers();
  if (!data || locked.length === 0) return null;
  return (
    <button
      type="button"
      onClick={() => showOverlay("vault")}
      className="inset-focus flex w-full gap-2.5 border-b border-line px-3.5 py-2.5 text-left transition-colors hover:bg-hover"
    >
      <span className="mt-0.5">
        <VaultMark word={vaultWord(data)} size={16} />
      </span>
      <span className="min-w-0 flex-1">
        <b className="block truncate">{t(`dialog.${vaultStep(data)}`)}</b>
        <span className="block text-fg-2 wrap-any">{vaultText(data, i18n.language)}</span>
        <span className="block text-sm text-fg-3">{t("waiting", { count: locked.length })}</span>
      </span>
    </button>
  );
}
