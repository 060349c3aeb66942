// Doing something about the vault: the answer becomes what everybody sees, a failure stays in the dialog.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { VaultView } from "@/ipc/bindings/VaultView";
import { vault } from "@/ipc/queries";

export function useVaultAct() {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = async (work: () => Promise<VaultView>): Promise<VaultView | null> => {
    setBusy(true);
    setError(null);
    try {
      const view = await work();
      client.setQueryData(vault().queryKey, view);
      return view;
    } catch (thrown) {
      setError(thrown);
      return null;
    } finally {
      setBusy(false);
      for (const name of ["vault", "accounts", "secrets"]) void client.invalidateQueries({ queryKey: [name] });
    }
  };
  return { busy, error, run, clear: () => setError(null) };
}
