// Actions on the vault: the result updates all views, and a failure is shown in the dialog.
import { useQueryClient } from "@tanstack/react-query";
import type { Commands } from "@/ipc/bindings/commands";
import type { VaultView } from "@/ipc/bindings/VaultView";
import { vault } from "@/ipc/queries";
import { useCommand } from "@/lib/use-command";

type Act = "open_vault" | "unlock_vault" | "create_vault" | "rekey_vault" | "start_over_vault";

export function useVaultAct() {
  const client = useQueryClient();
  const { run, ...rest } = useCommand({ failure: "shown" });
  return {
    ...rest,
    run: <K extends Act>(name: K, args: Commands[K]["args"], done: (view: VaultView) => void, failed = (): void => undefined) =>
      run(name, args, {
        done: (view) => {
          client.setQueryData(vault().queryKey, view);
          done(view);
        },
        failed,
      }),
  };
}
