import { Link, useNavigate } from "@tanstack/react-router";
import { BookOpen, CheckCheck, ChevronLeft, ShieldCheck } from "lucide-react";
import { useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import { Page } from "@/components/page";
import { ServerMark } from "@/components/server-mark";
import { Skeleton } from "@/components/skeleton";
import { Checkbox } from "@/components/toggles";
import { isOpen, isPlain, type Reviewable, useApprovals, useReviewables } from "@/lib/approvals";
import { KEEP_CLEAR } from "@/lib/clear-of";
import { enterScreen } from "@/lib/enter-screen";
import { errorWords } from "@/lib/error-text";
import { shownAddressOf } from "@/lib/server-address";
import { useShortcut } from "@/lib/shortcuts";
import { visibleLine } from "@/lib/untrusted";
import { useArmed } from "@/lib/use-armed";
import { descriptionOf } from "../trust/description";
import { PinRow } from "../trust/pin-row";
import { Review } from "../trust/review";

/** How many items of a server are drawn at first. */
const SHOWN = 100;

const keyOf = ({ server, pin }: Reviewable) => `${server.id}/${pin.kind}/${pin.name}`;

/** The open reviews of all servers, in one list. */
export function ReviewScreen() {
  const { t } = useTranslation(["trust", "servers", "common", "inbox"]);
  const { items, pending, error, again } = useReviewables();
  const { busy, error: refused, approve } = useApprovals();
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [reviewed, setReviewed] = useState<Reviewable | null>(null);
  const changes = new Set(items.filter(({ pin }) => pin.state === "changed").map(({ server }) => server.id));
  // Servers with changes come first, because apps have lost those tools.
  const open = items
    .filter(({ pin }) => isOpen(pin))
    .toSorted(
      (left, right) =>
        Number(changes.has(right.server.id)) - Number(changes.has(left.server.id)) ||
        Number(right.pin.state === "changed") - Number(left.pin.state === "changed"),
    );
  const plain = open.filter(({ pin }) => isPlain(pin));
  const reading = plain.filter(({ hints }) => hints.readOnly === true);
  const picked = plain.filter((item) => chosen.has(keyOf(item)));
  const byServer = [...Map.groupBy(open, ({ server }) => server.id).values()];
  const choose = (of: readonly Reviewable[], on: boolean) => {
    const keys = new Set(of.map(keyOf));
    setChosen((now) => new Set(on ? [...now, ...keys] : [...now].filter((key) => !keys.has(key))));
  };
  // When a list disappears, another one moves under the pointer.
  const armed = useArmed(plain.map(({ server, pin }) => `${server.id}/${pin.kind}/${pin.name} ${pin.hash}`).join("\n"), pending ? null : 0);
  const waits = busy || !armed;
  /** Why the approving buttons are disabled. */
  const hint = armed ? undefined : t("inbox:answer.arming");
  const submit = (of: readonly Reviewable[]) => void approve(of).then(() => choose(of, false));
  const at = reviewed === null ? -1 : open.findIndex((item) => keyOf(item) === keyOf(reviewed));
  const show = (item: Reviewable | undefined) => setReviewed(item ?? null);
  const leave = () => void navigate({ to: "/servers" }).then(enterScreen);
  useShortcut("escape", () => (picked.length > 0 ? setChosen(new Set()) : leave()));
  useShortcut("alt+arrowleft", leave);

  return (
    <Page
      title={t("review.title")}
      back={
        <Link to="/servers" className="mr-1 -ml-1 inline-flex shrink-0 items-center gap-1 rounded-xs text-fg-2 no-underline hover:text-fg">
          <Icon of={ChevronLeft} />
          {t("servers:place")}
        </Link>
      }
      sub={
        open.length > 0 && (
          // In a narrow window the buttons need the room, and the rail has the count too.
          <span className="max-wide:sr-only">
            {t("review.sub", { count: open.length })} {t("review.from", { count: byServer.length })}
          </span>
        )
      }
      actions={
        // While some are selected, approving those is the main action.
        plain.length > 1 &&
        picked.length === 0 && (
          <>
            {reading.length > 0 && reading.length < plain.length && (
              <Button icon={BookOpen} title={hint} busy={busy} arming={waits && !busy} onClick={() => submit(reading)}>
                {t("review.reading", { count: reading.length })}
              </Button>
            )}
            <Button icon={CheckCheck} title={hint} busy={busy} arming={waits && !busy} onClick={() => submit(plain)}>
              {t("review.all", { count: plain.length })}
            </Button>
          </>
        )
      }
    >
      {error !== null && open.length === 0 ? (
        <div className="max-w-150 p-5">
          <ErrorNotice title={t("failed")} {...errorWords(error)}>
            <Button onClick={again}>{t("common:tryAgain")}</Button>
          </ErrorNotice>
        </div>
      ) : pending && open.length === 0 ? (
        <Skeleton rows={8} />
      ) : open.length === 0 ? (
        <EmptyState icon={ShieldCheck} title={t("review.none")} text={t("review.noneText")}>
          <Button onClick={leave}>{t("review.toServers")}</Button>
        </EmptyState>
      ) : (
        <div className="min-h-0 flex-1 overflow-y-auto">
          <div className="mx-auto flex max-w-220 flex-col gap-5 px-5 py-4">
            <p className="m-0 text-fg-2">{t("review.text")}</p>
            {error !== null && (
              <ErrorNotice title={t("review.partly")} {...errorWords(error)}>
                <Button onClick={again}>{t("common:tryAgain")}</Button>
              </ErrorNotice>
            )}
            {refused?.code === "definition_changed" && <ErrorNotice answers tone="warn" title={t("moved.title")} why={t("moved.why")} />}
            {byServer.map((of) => (
              <OfServer
                key={of[0]?.server.id}
                items={of}
                chosen={chosen}
                busy={busy}
                armed={!waits}
                hint={hint}
                onChoose={choose}
                onApprove={submit}
                onReview={setReviewed}
              />
            ))}
          </div>
        </div>
      )}
      {picked.length > 0 && (
        <footer {...KEEP_CLEAR} className="flex shrink-0 items-center gap-2 border-t border-line px-5 py-3">
          <span className="min-w-0 flex-1 truncate text-fg-2">{t("review.chosen", { count: picked.length })}</span>
          <Button look="ghost" onClick={() => setChosen(new Set())}>
            {t("review.chooseNone")}
          </Button>
          <Button look="primary" icon={CheckCheck} title={hint} busy={busy} arming={waits && !busy} onClick={() => submit(picked)}>
            {t("review.approvePicked", { count: picked.length })}
          </Button>
        </footer>
      )}
      {reviewed !== null && (
        <Review
          pin={reviewed.pin}
          server={reviewed.server}
          unseen={false}
          busy={busy}
          followed
          place={at === -1 || open.length < 2 ? null : { at, of: open.length }}
          onApprove={() => void approve([reviewed]).then((done) => show(done ? open[at + 1] : undefined))}
          onStep={(by) => show(open[at + by])}
          onOff={() => show(open[at + 1])}
          onClose={() => show(undefined)}
        />
      )}
    </Page>
  );
}

/** The open reviews of a server. */
function OfServer({
  items,
  chosen,
  busy,
  armed,
  hint,
  onChoose,
  onApprove,
  onReview,
}: {
  items: readonly Reviewable[];
  chosen: ReadonlySet<string>;
  busy: boolean;
  /** Whether the list was unchanged for long enough to be approved. */
  armed: boolean;
  /** Why it can't be approved yet. */
  hint: string | undefined;
  onChoose: (items: readonly Reviewable[], on: boolean) => void;
  onApprove: (items: readonly Reviewable[]) => void;
  onReview: (item: Reviewable) => void;
}) {
  const { t } = useTranslation(["trust", "servers"]);
  const list = useRef<HTMLUListElement>(null);
  const [all, setAll] = useState(false);
  // The focus continues where the button was.
  useLayoutEffect(() => {
    if (all) list.current?.children[SHOWN]?.querySelector("button")?.focus();
  }, [all]);
  const [first] = items;
  if (first === undefined) return null;
  const { server } = first;
  const plain = items.filter(({ pin }) => isPlain(pin));
  const on = plain.filter((item) => chosen.has(keyOf(item))).length;
  const name = visibleLine(server.name);
  return (
    <section aria-label={name}>
      <header className="mb-2 flex min-w-0 items-center gap-2">
        {plain.length > 1 && (
          <Checkbox
            label={t("review.chooseServer", { name })}
            checked={on === 0 ? false : on === plain.length || "indeterminate"}
            onChange={(next) => onChoose(plain, next)}
          />
        )}
        <ServerMark server={server} small />
        <h2 className="m-0 min-w-0 truncate text-md font-semibold">
          <Link to="/servers" search={{ id: server.id, tab: "trust" }} className="rounded-xs text-fg no-underline hover:underline">
            <bdi>{name}</bdi>
          </Link>
        </h2>
        <span className="min-w-0 flex-1 truncate text-fg-3 tabular">{t("review.waiting", { count: items.length })}</span>
        {plain.length > 1 && on === 0 && (
          <Button icon={CheckCheck} title={hint} busy={busy} arming={!armed} onClick={() => onApprove(plain)}>
            {plain.length === 2 ? t("approve.both") : t("approve.fresh", { count: plain.length })}
          </Button>
        )}
      </header>
      <ul ref={list} aria-label={name} className="m-0 list-none overflow-hidden rounded-m border border-line p-0">
        {(all ? items : items.slice(0, SHOWN)).map((item) => (
          <Row
            key={keyOf(item)}
            item={item}
            chosen={isPlain(item.pin) ? chosen.has(keyOf(item)) : null}
            choosing={plain.length > 0 && items.length > 1}
            onChoose={onChoose}
            onReview={onReview}
          />
        ))}
      </ul>
      {!all && items.length > SHOWN && (
        <Button look="ghost" onClick={() => setAll(true)} className="mt-1.5">
          {t("servers:list.all", { count: items.length })}
        </Button>
      )}
    </section>
  );
}

/** A separate component, so that selecting one of thousands draws only one. */
function Row({
  item,
  chosen,
  choosing,
  onChoose,
  onReview,
}: {
  item: Reviewable;
  /** Null if it can't be selected. */
  chosen: boolean | null;
  /** Whether some of the list can be selected, so that every row has a box. */
  choosing: boolean;
  onChoose: (items: readonly Reviewable[], on: boolean) => void;
  onReview: (item: Reviewable) => void;
}) {
  return (
    <PinRow
      pin={item.pin}
      onReview={() => onReview(item)}
      {...(item.pin.kind === "server" && { start: shownAddressOf(item.server) })}
      hints={item.hints}
      description={descriptionOf(item.pin)}
      {...(choosing && { chosen: chosen === true, onChoose: chosen === null ? null : (next: boolean) => onChoose([item], next) })}
    />
  );
}
