// Copies a call as a command line of `mooring`.
import { useTranslation } from "react-i18next";
import { formatList } from "@/lib/format";
import { toast } from "@/lib/toasts";
import { quotedLine } from "@/lib/untrusted";
import { commandLine } from "./command-line";
import type { Run } from "./runs";

export async function copyText(text: string, said: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  toast({ text: said });
}

/** Copies the command, and reports arguments that are missing because the log doesn't have them. */
export function useCopyCommand(): (run: Run) => void {
  const { t, i18n } = useTranslation("workbench");
  return ({ serverName, target, args, uri, logged }) => {
    const withheld = logged?.withheld ?? [];
    const said =
      withheld.length === 0
        ? t("raw.commandCopied")
        : t("raw.commandCopiedWithout", { list: formatList(withheld.map(quotedLine), i18n.language) });
    void copyText(commandLine(serverName, target, args, uri), said);
  };
}
