import { useQuery } from "@tanstack/react-query";
import { vault } from "@/ipc/queries";
import { showOverlay, useOverlay } from "@/lib/overlays";
import { KeyDialog } from "./key-dialog";
import { StartOverDialog } from "./start-over-dialog";
import { VaultDialog } from "./vault-dialog";

/** All dialogs of the vault, above any screen. */
export function VaultDialogs() {
  const overlay = useOverlay();
  const { data } = useQuery(vault());
  const close = () => showOverlay(null);
  if (!data) return null;
  return (
    <>
      {overlay === "vault" && <VaultDialog vault={data} onClose={close} />}
      {overlay === "vault_key" && <KeyDialog vault={data} onClose={close} />}
      {overlay === "vault_over" && <StartOverDialog onClose={close} />}
    </>
  );
}
