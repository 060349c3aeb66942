import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "@/components/dialog";
import type { AppView } from "@/ipc/bindings/AppView";
import { appActivity, servers as serversQuery } from "@/ipc/queries";
import { useReviewables } from "@/lib/approvals";
import { enterScreen } from "@/lib/enter-screen";
import { formatList } from "@/lib/format";
import { closeTakeOver, useTakeOverOpen } from "@/lib/take-over";
import { quotedLine } from "@/lib/untrusted";
import { Connected } from "../connected";
import { enterListSoon } from "../focus";
import { ApproveStage } from "./approve-stage";
import { ChooseStage } from "./choose-stage";
import { getsOfAll } from "./tools";

/** The result: the imported servers, and the apps that now use them. */
export interface TakenOver {
  readonly servers: readonly number[];
  readonly apps: readonly AppView[];
  /** When the first app was connected. */
  readonly since: number;
}

/** Imports the apps' own servers and connects the apps, in one sheet: choose, approve, and see that it works. */
export default function TakeOver() {
  return useTakeOverOpen() ? <Sheet /> : null;
}

function Sheet() {
  const { t, i18n } = useTranslation("apps");
  const client = useQueryClient();
  const navigate = useNavigate();
  const [taken, setTaken] = useState<TakenOver | null>(null);
  const [busy, setBusy] = useState(false);
  const [moved, setMoved] = useState<boolean | null>(null);
  const { items } = useReviewables(moved !== null);
  const gets = getsOfAll(items, taken?.apps ?? []);
  const close = () => {
    closeTakeOver();
    void client.invalidateQueries({ queryKey: serversQuery().queryKey });
  };
  const leave = () => {
    close();
    if (taken !== null) enterListSoon();
  };
  const review = () => {
    close();
    void navigate({ to: "/review" }).then(enterScreen);
  };
  const { data: activity = [] } = useQuery({ ...appActivity(), enabled: moved !== null });
  /** An app only sees the change after a restart, so it isn't done before. */
  const connected = ({ apps, since }: TakenOver) => {
    const hasListed = (id: string) => activity.some(({ app, listedAt }) => app === id && (listedAt ?? 0) >= since);
    const left = apps.filter(({ id }) => !hasListed(id));
    const named = (some: readonly AppView[]) =>
      formatList(
        some.map((app) => quotedLine(app.title)),
        i18n.language,
      );
    return left.length > 0 ? t("takeOver.restart", { apps: named(left) }) : t("takeOver.lead", { count: apps.length, apps: named(apps) });
  };
  const title =
    taken === null ? t("takeOver.title") : moved === null ? t("takeOver.approve.title", { count: taken.servers.length }) : connected(taken);
  return (
    <Dialog open onOpenChange={(open) => !open && !busy && leave()} size="l" title={title} bare>
      {taken === null ? (
        <ChooseStage onBusy={setBusy} onDone={setTaken} onClose={close} />
      ) : moved === null ? (
        <ApproveStage taken={taken} onDone={(changed) => (taken.apps.length === 0 ? leave() : setMoved(changed))} />
      ) : (
        <Connected
          apps={taken.apps}
          since={taken.since}
          tools={gets.tools.length}
          waiting={gets.fresh.length + gets.alone.length}
          moved={moved}
          onReview={review}
          onClose={leave}
        />
      )}
    </Dialog>
  );
}
