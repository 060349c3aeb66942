import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Inbox } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { VaultMark } from "@/components/vault-mark";
import type { SilencedServer } from "@/ipc/bindings/SilencedServer";
import { decisions, servers, vault } from "@/ipc/queries";
import { enterScreen } from "@/lib/enter-screen";
import { formatList } from "@/lib/format";
import { showOverlay } from "@/lib/overlays";
import { visibleLine } from "@/lib/untrusted";
import { vaultStep, vaultText, vaultWord } from "@/lib/vault";
import { useLockedServers } from "@/lib/waiting";
import { DecisionList, LATEST } from "./decisions/decision-list";
import { Silenced } from "./queue/silenced";

/** The empty Inbox: what will appear here, a locked vault, and the last decisions. */
export function NothingWaits({ silenced }: { silenced: readonly SilencedServer[] }) {
  const { t } = useTranslation("inbox");
  const locked = useLockedServers();
  const { data, error } = useQuery(decisions(LATEST));
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto w-full max-w-150 px-6 py-12">
        {locked.length > 0 ? (
          <VaultWaits names={locked.map((server) => server.name)} />
        ) : (
          <Middle icon={<Inbox size={20} aria-hidden />} title={t("empty.title")} text={t("empty.text")}>
            {data?.length === 0 && <FirstStep />}
          </Middle>
        )}
        <Silenced servers={silenced} className="mt-8 overflow-hidden rounded-m border border-line [&>:last-child]:border-b-0" />
        {(error !== null || (data !== undefined && data.length > 0)) && (
          <section aria-labelledby="inbox-decided" className="mt-8">
            <h3 id="inbox-decided" className="m-0 mb-1 border-b border-line pb-1.5 text-sm font-semibold text-fg-3">
              {t("decisions.last")}
            </h3>
            <DecisionList />
          </section>
        )}
      </div>
    </div>
  );
}

/** The first step for a person without anything that could ask. */
function FirstStep() {
  const { t } = useTranslation("inbox");
  const navigate = useNavigate();
  const { data: list } = useQuery(servers());
  if (list === undefined) return null;
  const [to, label] = list.length === 0 ? (["/servers", "empty.toServers"] as const) : (["/apps", "empty.toApps"] as const);
  return (
    <Button className="mt-4" onClick={() => void navigate({ to }).then(enterScreen)}>
      {t(label)}
    </Button>
  );
}

/** Only the vault waits: how to unlock it, and which servers then start. */
function VaultWaits({ names }: { names: readonly string[] }) {
  const { t, i18n } = useTranslation("vault");
  const { data } = useQuery(vault());
  if (!data) return null;
  const step = vaultStep(data);
  return (
    <Middle icon={<VaultMark word={vaultWord(data)} size={20} />} title={t(`dialog.${step}`)} text={vaultText(data, i18n.language)}>
      <p className="mt-1 mb-4 max-w-105 wrap-any text-fg-3">
        {t("startsThen", {
          count: names.length,
          names: formatList(
            names.map((name) => `“${visibleLine(name)}”`),
            i18n.language,
          ),
        })}
      </p>
      <Button look="primary" onClick={() => showOverlay("vault")}>
        {t(`banner.${step}`)}
      </Button>
    </Middle>
  );
}

function Middle({ icon, title, text, children }: { icon: ReactNode; title: string; text: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center text-center">
      <span className="mb-3 grid size-10 place-items-center rounded-l border border-line bg-sunken text-fg-3">{icon}</span>
      <h2 id="question-title" data-start tabIndex={-1} className="m-0 text-lg font-[620] outline-none">
        {title}
      </h2>
      <p className="mt-1 mb-0 max-w-105 text-balance text-fg-2">{text}</p>
      {children}
    </div>
  );
}
