import { useQuery, useQueryClient } from "@tanstack/react-query";
import { CheckCheck, Search, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { SearchInput } from "@/components/input";
import { Skeleton } from "@/components/skeleton";
import type { PinView } from "@/ipc/bindings/PinView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { trust } from "@/ipc/queries";
import { errorText, errorWords } from "@/lib/error-text";
import { toast } from "@/lib/toasts";
import { useCommand } from "@/lib/use-command";
import { PinDetails } from "./pin-details";
import { PinMark } from "./pin-mark";
import { PinRow } from "./pin-row";

/** So many are drawn; more are found by searching. */
const SHOWN = 200;

/** What of a server the person has looked at, what changed since, and the approval of each. */
export function TrustTab({ server }: { server: ServerView }) {
  const { t } = useTranslation("trust");
  const client = useQueryClient();
  const query = useQuery(trust(server.id));
  const { busy, error, run } = useCommand({ failure: "shown" });
  const moved = error?.code === "definition_changed";
  if (query.isPending) return <Skeleton rows={6} />;
  if (query.error)
    return (
      <div className="p-5">
        <ErrorNotice title={t("failed")} {...errorWords(query.error)}>
          <Button busy={query.isFetching} onClick={() => void query.refetch()}>
            {t("tryAgain", { ns: "common" })}
          </Button>
        </ErrorNotice>
      </div>
    );
  const { definition, items } = query.data;
  // What hides something or cannot be shown whole is looked at by itself, as what changed is.
  const fresh = items.filter((item) => item.state === "new" && item.hidden.length === 0 && item.whole === null);
  // Which program a command is turns out when it is started; before that there is only what was entered.
  const unseen = definition.state === "new" && items.length === 0 && server.revision === null;
  const changed = [definition, ...items].filter((item) => item.state === "changed").length;

  const approve = (pins: readonly PinView[]) => {
    const approvals = pins.map(({ kind, name, hash }) => ({ kind, name, hash }));
    void run(
      "approve_trust",
      { server: server.id, approvals },
      {
        done: (view) => client.setQueryData(trust(server.id).queryKey, view),
        failed: (error) => error.code !== "definition_changed" && toast({ text: errorText(error), tone: "bad" }),
      },
    );
  };

  return (
    <div className="flex flex-col gap-5 px-5 py-4">
      {moved && <ErrorNotice answers tone="warn" title={t("moved.title")} why={t("moved.why")} />}
      {changed > 0 && (
        <ErrorNotice tone="changed" title={t("changed.title", { count: changed })} why={t("changed.why")} next={t("changed.next")} />
      )}
      <section aria-label={t(`definition.${server.transport}`)}>
        <div className="mb-2 flex items-center gap-2">
          <h3 className="m-0 min-w-0 flex-1 font-semibold">{t(`definition.${server.transport}`)}</h3>
          <PinMark state={definition.state} />
        </div>
        <PinDetails
          key={definition.hash}
          pin={definition}
          unseen={unseen}
          server={server.name}
          busy={busy}
          onApprove={() => approve([definition])}
        />
      </section>
      <section aria-label={t("items.title")}>
        <div className="mb-2 flex flex-wrap items-center gap-2">
          <h3 className="m-0 min-w-0 flex-1 font-semibold">{t("items.title")}</h3>
          {fresh.length > 1 && (
            <Button icon={CheckCheck} busy={busy} onClick={() => approve(fresh)}>
              {t("approve.fresh", { count: fresh.length })}
            </Button>
          )}
        </div>
        <Items server={server} items={items} busy={busy} onApprove={(pin) => approve([pin])} />
      </section>
    </div>
  );
}

function Items({
  server,
  items,
  busy,
  onApprove,
}: {
  server: ServerView;
  items: readonly PinView[];
  busy: boolean;
  onApprove: (pin: PinView) => void;
}) {
  const { t } = useTranslation("trust");
  const [filter, setFilter] = useState("");
  const wanted = filter.trim().toLowerCase();
  const found = items.filter((item) => item.name.toLowerCase().includes(wanted));
  if (items.length === 0)
    return (
      <p className="m-0 flex gap-2 text-fg-2">
        <ShieldCheck size={16} aria-hidden className="mt-px shrink-0 text-fg-3" />
        {t("items.none")}
      </p>
    );
  return (
    <>
      {items.length > 8 && (
        <SearchInput
          icon={Search}
          aria-label={t("items.search")}
          placeholder={t("items.search")}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          className="mb-2"
        />
      )}
      {found.length === 0 ? (
        <p className="m-0 py-4 text-center text-fg-3">{t("items.noMatch")}</p>
      ) : (
        <ul aria-label={t("items.title")} className="m-0 list-none overflow-hidden rounded-m border border-line p-0">
          {found.slice(0, SHOWN).map((pin) => (
            <PinRow
              key={`${pin.kind}/${pin.name}/${pin.hash}`}
              pin={pin}
              server={server.name}
              busy={busy}
              onApprove={() => onApprove(pin)}
            />
          ))}
        </ul>
      )}
      {found.length > SHOWN && <p className="m-0 mt-1.5 text-sm text-fg-3">{t("items.more", { count: found.length - SHOWN })}</p>}
    </>
  );
}
