import { openBundle } from "@/lib/bundles";
import { useCommand } from "@/lib/use-command";

/** Lets the person choose a bundle's file, whose review opens then. */
export function useOpenBundleFile() {
  const { busy, run } = useCommand();
  /** Whether a file was chosen. */
  const open = async (): Promise<boolean> => {
    const path = await run("pick_bundle", {});
    if (path == null) return false;
    openBundle(path);
    return true;
  };
  return { open, busy };
}
