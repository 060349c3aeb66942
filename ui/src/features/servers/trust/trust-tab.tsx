import { useQuery, useQueryClient } from "@tanstack/react-query";
import { CheckCheck, FileDiff, Search, ShieldCheck, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import { SearchInput } from "@/components/input";
import { Skeleton } from "@/components/skeleton";
import type { PinState } from "@/ipc/bindings/PinState";
import type { PinView } from "@/ipc/bindings/PinView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { trust } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { shownAddressOf } from "@/lib/server-address";
import { isOpen, isPlain, useApprovals } from "@/lib/approvals";
import { PinRow } from "./pin-row";
import { Review } from "./review";
import { changedOf, useReview } from "./use-review";

/** How many items are drawn, plus all that wait for a review. A search finds the others. */
const SHOWN = 200;
const ORDER: readonly PinState[] = ["changed", "new", "approved", "gone"];

/** What of a server is approved, what has changed since, and the approval of each item. */
export function TrustTab({ server }: { server: ServerView }) {
  const { t } = useTranslation("trust");
  const client = useQueryClient();
  const query = useQuery(trust(server.id));
  const approvals = useApprovals();
  const { busy, error } = approvals;
  const review = useReview(query.data, query.isFetching);
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
  // Items with hidden characters, or too large to show, are reviewed separately, like changed ones.
  const fresh = items.filter(isPlain);
  const alone = items.filter(isOpen).length - fresh.length;
  const changed = changedOf(query.data);
  // With changes, a single notice leads to everything that needs a close review.
  const hiding = changed.length > 0 ? 0 : items.filter((item) => isOpen(item) && item.hidden.length > 0).length;
  // The program of a command is only known after it was started. Before that there is only the entered text.
  const unseen = definition.state === "new" && items.length === 0 && server.revision === null;
  const { reviewed } = review;

  const approve = async (pins: readonly PinView[]) => {
    const done = await approvals.approve(pins.map((pin) => ({ server, pin })));
    const now = done ? client.getQueryData(trust(server.id).queryKey) : undefined;
    if (now) review.settle(now);
    else review.close();
  };

  return (
    <div className="flex flex-col gap-5 px-5 py-4">
      {moved && <ErrorNotice answers tone="warn" title={t("moved.title")} why={t("moved.why")} />}
      {changed[0] !== undefined && (
        <ErrorNotice tone="changed" title={t("changed.title", { count: changed.length })} why={t("changed.why")}>
          <Button look="primary" icon={FileDiff} onClick={() => changed[0] && review.open(changed[0])}>
            {t("changed.review")}
          </Button>
        </ErrorNotice>
      )}
      <section aria-label={t(`definition.${server.transport}`)}>
        <h3 className="m-0 mb-2 font-semibold">{t(`definition.${server.transport}`)}</h3>
        <ul aria-label={t(`definition.${server.transport}`)} className={listed}>
          <PinRow pin={definition} start={shownAddressOf(server)} onReview={review.open} />
        </ul>
        {definition.state === "new" && <p className="m-0 mt-1.5 text-sm text-fg-3">{t(unseen ? "unseen" : "definition.new")}</p>}
      </section>
      <section aria-label={t("items.title")}>
        <div className="mb-2 flex flex-wrap items-center gap-2">
          <h3 className="m-0 min-w-0 flex-1 font-semibold">{t("items.title")}</h3>
          {fresh.length > 1 && (
            <Button icon={CheckCheck} busy={busy} onClick={() => void approve(fresh)}>
              {fresh.length === 2 ? t("approve.both") : t("approve.fresh", { count: fresh.length })}
            </Button>
          )}
        </div>
        {items.some(({ state }) => state === "new") && (
          <p className="m-0 mb-2 text-sm text-fg-3">
            {t("items.meaning")} {fresh.length > 1 && alone > 0 && t("items.alone", { count: alone })}
          </p>
        )}
        {hiding > 0 && (
          <p className="m-0 mb-2 flex gap-2 text-sm text-warn">
            <Icon of={TriangleAlert} className="mt-px shrink-0" />
            {t("hidden.line", { count: hiding })}
          </p>
        )}
        <Items items={items} onReview={review.open} />
      </section>
      {reviewed !== null && (
        <Review
          pin={reviewed}
          server={server}
          unseen={unseen && reviewed.kind === "server"}
          busy={busy}
          followed={review.followed}
          place={review.place}
          onApprove={() => void approve([reviewed])}
          onStep={review.step}
          onOff={() => review.settle(query.data)}
          onClose={review.close}
        />
      )}
    </div>
  );
}

const listed = "m-0 list-none overflow-hidden rounded-m border border-line p-0";

function Items({ items, onReview }: { items: readonly PinView[]; onReview: (pin: PinView) => void }) {
  const { t } = useTranslation("trust");
  const [filter, setFilter] = useState("");
  const wanted = filter.trim().toLowerCase();
  // Changed and new items come first, and are always drawn.
  const found = items
    .filter((item) => item.name.toLowerCase().includes(wanted))
    .toSorted((left, right) => ORDER.indexOf(left.state) - ORDER.indexOf(right.state));
  const shown = Math.max(SHOWN, found.filter(isOpen).length);
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
        <ul aria-label={t("items.title")} className={listed}>
          {found.slice(0, shown).map((pin) => (
            <PinRow key={`${pin.kind}/${pin.name}`} pin={pin} onReview={onReview} />
          ))}
        </ul>
      )}
      {found.length > shown && <p className="m-0 mt-1.5 text-sm text-fg-3">{t("items.more", { count: found.length - shown })}</p>}
    </>
  );
}
