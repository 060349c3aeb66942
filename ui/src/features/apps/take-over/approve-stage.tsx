import { useQuery } from "@tanstack/react-query";
import { CheckCheck } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ArmedButton } from "@/components/armed-button";
import { Button } from "@/components/button";
import { DialogFooter, DialogReading } from "@/components/dialog";
import { Elapsed } from "@/components/elapsed";
import { ServerMark } from "@/components/server-mark";
import { StateMark } from "@/components/state-mark";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { servers as serversQuery } from "@/ipc/queries";
import { isUnderWay, useApprovals, useReviewables } from "@/lib/approvals";
import { failureWords } from "@/lib/failure-text";
import { shownState } from "@/lib/server-state";
import { visibleLine } from "@/lib/untrusted";
import { useArmed } from "@/lib/use-armed";
import { type Approve, approvedBy, GetsSection, proposed } from "../gets";
import type { TakenOver } from "./take-over";
import { getsOfAll } from "./tools";

/** The servers start, and the person approves what they offer. */
export function ApproveStage({
  taken,
  onDone,
}: {
  taken: TakenOver;
  /** `changed`: a definition had changed before it was approved. */
  onDone: (changed: boolean) => void;
}) {
  const { t } = useTranslation(["apps", "common", "inbox"]);
  const { data: all = [] } = useQuery(serversQuery());
  const started = all.filter(({ id }) => taken.servers.includes(id));
  const { items, unread, error, pending } = useReviewables();
  const mine = items.filter(({ server }) => taken.servers.includes(server.id));
  const found = getsOfAll(mine, taken.apps);
  const coming = unread.filter(({ id }) => taken.servers.includes(id)).length;
  const nothing = found.tools.length + found.fresh.length + found.alone.length === 0;
  const gets = { ...found, unread: coming, error, pending: nothing && (coming > 0 || pending) };
  const approvals = useApprovals();
  const [picked, setPicked] = useState<Approve | null>(null);
  const choice = picked ?? proposed(gets);
  const chosen = approvedBy(choice, gets);
  // Items appear while the person reads, so a press only counts for items that have not moved.
  const look = chosen.map(({ server, pin }) => `${server.id}/${pin.kind}/${pin.name} ${pin.hash}`).join("\n");
  const armed = useArmed(look, gets.pending ? null : 0);
  const approve = async () => {
    const whole = await approvals.approve(chosen);
    if (whole) onDone(false);
  };
  const moved = approvals.error?.code === "definition_changed";
  return (
    <>
      <DialogReading label={t("takeOver.approve.title", { count: taken.servers.length })} focused>
        <div className="flex flex-col gap-4">
          <ul aria-label={t("takeOver.approve.servers")} className="m-0 list-none rounded-m border border-line p-0">
            {started.map((server) => (
              <StartingServer key={server.id} server={server} />
            ))}
          </ul>
          <GetsSection apps={taken.apps} gets={gets} choice={choice} onChoose={setPicked} />
        </div>
      </DialogReading>
      <DialogFooter>
        <span className="flex-1" />
        {chosen.length > 0 && !moved && (
          <Button disabled={approvals.busy} onClick={() => onDone(false)}>
            {t("notNow")}
          </Button>
        )}
        {chosen.length === 0 || moved ? (
          <Button look="primary" disabled={gets.pending} onClick={() => onDone(moved)}>
            {t("takeOver.approve.goOn")}
          </Button>
        ) : (
          <ArmedButton
            label={t("takeOver.approve.submit", { count: chosen.length })}
            icon={CheckCheck}
            busy={approvals.busy}
            ready={armed && !approvals.busy}
            arming={!armed}
            hint={t("inbox:answer.arming")}
            onPress={() => void approve()}
          />
        )}
      </DialogFooter>
    </>
  );
}

function StartingServer({ server }: { server: ServerView }) {
  const { t, i18n } = useTranslation(["apps", "servers"]);
  const state = shownState(server);
  return (
    <li className="flex min-h-10 items-center gap-2.5 border-b border-line px-3 py-1.5 last:border-0">
      <ServerMark server={server} small />
      <span className="min-w-0 flex-1 truncate font-semibold">
        <bdi>{visibleLine(server.name)}</bdi>
      </span>
      <span className="min-w-0 truncate text-sm text-fg-3 tabular">
        {isUnderWay(server.state) ? (
          <Elapsed since={server.since} />
        ) : server.failure !== null ? (
          failureWords(server.failure, i18n.language).title
        ) : (
          server.toolCount !== null && t("takeOver.approve.tools", { count: server.toolCount })
        )}
      </span>
      <StateMark state={state} />
    </li>
  );
}
