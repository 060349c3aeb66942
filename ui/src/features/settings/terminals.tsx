import { useQuery } from "@tanstack/react-query";
import { SquareTerminal, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import { UntrustedText } from "@/components/their-voice";
import { terminals } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { useFocusPassedOn } from "@/lib/row-focus";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { SettingArea } from "./section";

/** The programs whose terminals may always use the servers. They are added in the Inbox. */
export function Terminals() {
  const { t } = useTranslation("settings");
  const { data, error } = useQuery(terminals());
  return (
    <SettingArea setting="terminals">
      <div className="flex min-h-12 items-center gap-6 px-4 py-2">
        <div className="min-w-40 flex-1">
          <h3 className="m-0 text-md font-[540]">{t("background.terminals.label")}</h3>
          <p className="m-0 text-sm text-fg-3">{t("background.terminals.hint")}</p>
        </div>
        {data?.length === 0 && <span className="shrink-0">{t("background.noTerminals")}</span>}
      </div>
      {error && (
        <div className="border-t border-line p-3">
          <ErrorNotice title={t("background.terminalsUnread")} {...errorWords(error)} />
        </div>
      )}
      {data !== undefined && data.length > 0 && (
        <ul data-control aria-label={t("background.terminals.label")} className="m-0 list-none border-t border-line p-0">
          {data.map((program) => (
            <Terminal key={program} program={program} />
          ))}
        </ul>
      )}
    </SettingArea>
  );
}

function Terminal({ program }: { program: string }) {
  const { t } = useTranslation("settings");
  const { run, busy } = useCommand({ vault: true });
  const row = useFocusPassedOn<HTMLLIElement>();
  const name = program.split(/[/\\]/).at(-1) || program;
  const shown = visibleLine(name);
  const remove = () =>
    void run("forget_terminal", { program }, { done: () => toast({ text: t("background.terminalRemoved", { name: shown }) }) });
  return (
    <li ref={row} className="flex items-start gap-2.5 border-b border-line py-2 pr-2 pl-4 last:border-0">
      <Icon of={SquareTerminal} className="mt-0.75 shrink-0 text-fg-3" />
      <div data-name-cell className="min-w-0 flex-1">
        <b className="block truncate font-[560]">
          <UntrustedText text={name} />
        </b>
        <span className="mono selectable block text-sm wrap-any text-fg-3">
          <UntrustedText text={program} />
        </span>
      </div>
      <IconButton small icon={X} disabled={busy} label={t("network.remove", { name: shown })} onClick={remove} />
    </li>
  );
}
