import { useQuery } from "@tanstack/react-query";
import { LockKeyhole } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { savedCalls } from "@/ipc/queries";
import { formatList } from "@/lib/format";
import { parseJson } from "@/lib/schema/parse";
import { looksSecret } from "@/lib/secrets";
import { toast } from "@/lib/toasts";
import { quotedLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import type { Target } from "../target";
import { isOf } from "./saved";
import { NameDialog } from "./name-dialog";

/** The arguments that look like secrets, by name or value. */
function secretsIn(args: string): string[] {
  const parsed = parseJson(args);
  if (!parsed.ok || parsed.node.kind !== "object") return [];
  return parsed.node.members.filter(({ key, value }) => looksSecret(key, value.kind === "string" ? value.value : "")).map(({ key }) => key);
}

/** Saves a call under a name. */
export function SaveCallDialog({
  server,
  target,
  args,
  onClose,
}: {
  server: { readonly id: number; readonly name: string };
  target: Target;
  args: string;
  onClose: () => void;
}) {
  const { t, i18n } = useTranslation("workbench");
  const { data: saved = [] } = useQuery(savedCalls());
  const { busy, error, run } = useCommand({ failure: "shown" });
  const taken = (name: string) => saved.some((call) => isOf(call, server.id, target) && call.name === name);
  const secrets = secretsIn(args);
  const save = (name: string) =>
    void run(
      "save_call",
      { call: { serverId: server.id, kind: target.kind, item: target.name, name, arguments: args } },
      {
        done: ({ withheld }) => {
          const list = formatList(withheld.map(quotedLine), i18n.language);
          toast({ text: withheld.length === 0 ? t("saved.done", { name }) : t("saved.doneWithout", { name, list }) });
          onClose();
        },
      },
    );
  return (
    <NameDialog
      title={t("saved.save")}
      initial=""
      submit={t("saved.submit")}
      hint={(name) => (taken(name) ? t("saved.replaces") : t("saved.hint"))}
      problem={() => null}
      busy={busy}
      error={error}
      onSubmit={save}
      onClose={onClose}
    >
      {secrets.length > 0 && (
        <p className="m-0 flex gap-2 text-info">
          <Icon of={LockKeyhole} className="mt-0.5 shrink-0" />
          <span className="min-w-0 wrap-any">
            {t("saved.secrets", { count: secrets.length, list: formatList(secrets.map(quotedLine), i18n.language) })}
          </span>
        </p>
      )}
    </NameDialog>
  );
}
