// The item under review: chosen by the person, from a link, or the next changed one.
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { PinView } from "@/ipc/bindings/PinView";
import type { TrustView } from "@/ipc/bindings/TrustView";
import { isOpen } from "@/lib/approvals";

const route = getRouteApi("/servers");

const isSame = (one: PinView, other: PinView) => one.kind === other.kind && one.name === other.name;

/** Everything of a server that has changed, in the order of review. */
export const changedOf = ({ definition, items }: TrustView): readonly PinView[] =>
  [definition, ...items].filter((item) => item.state === "changed");

/** The items that are reviewed together with this one: all changed ones, or all new ones. */
const likeOf = (view: TrustView, pin: PinView): readonly PinView[] =>
  pin.state === "new" ? view.items.filter((item) => item.state === "new") : changedOf(view);

export interface ReviewState {
  /** The item as it was when the review began, because later changes are not what is approved. */
  readonly reviewed: PinView | null;
  /** Whether it replaced another item, so that a second press must not approve it. */
  readonly followed: boolean;
  /** Its position among several changed or new items. Null if it is the only one. */
  readonly place: { readonly at: number; readonly of: number } | null;
  readonly open: (pin: PinView) => void;
  readonly close: () => void;
  /** Moves to the previous or next item. */
  readonly step: (by: 1 | -1) => void;
  /** Finishes the item, and opens the next like it, if there is one. */
  readonly settle: (view: TrustView) => void;
}

/** `fetching`: the known state may be older than the change that the link is about. */
export function useReview(view: TrustView | undefined, fetching: boolean): ReviewState {
  const { review: wanted } = route.useSearch();
  const navigate = route.useNavigate();
  const [reviewed, setReviewed] = useState<PinView | null>(null);
  const [followed, setFollowed] = useState(false);
  const [taken, setTaken] = useState<typeof wanted>(undefined);
  const changed = view === undefined ? [] : changedOf(view);

  if (view !== undefined && wanted !== taken) {
    const tool = view.items.find((item) => item.kind === "tool" && item.name === wanted && isOpen(item));
    const target = tool ?? changed[0] ?? null;
    if (wanted === undefined || target !== null || !fetching) {
      setTaken(wanted);
      if (wanted !== undefined) {
        setReviewed(target);
        setFollowed(false);
      }
    }
  }
  // The link was followed. Later opening and closing doesn't depend on the URL.
  const arrived = wanted !== undefined && wanted === taken;
  useEffect(() => {
    if (arrived) void navigate({ search: (now) => ({ ...now, review: undefined }), replace: true });
  }, [arrived, navigate]);

  const like = view === undefined || reviewed === null ? [] : likeOf(view, reviewed);
  const at = reviewed === null ? -1 : like.findIndex((item) => isSame(item, reviewed));
  const show = (pin: PinView | null, follows: boolean) => {
    setReviewed(pin);
    setFollowed(follows);
  };
  return {
    reviewed,
    followed,
    place: reviewed !== null && isOpen(reviewed) && at !== -1 && like.length > 1 ? { at, of: like.length } : null,
    open: (pin) => show(pin, false),
    close: () => show(null, false),
    step: (by) => {
      const next = like[at + by];
      if (next) show(next, true);
    },
    settle: (now) => {
      const left = reviewed === null ? [] : likeOf(now, reviewed);
      const behind =
        reviewed !== null && isOpen(reviewed) && at !== -1
          ? like.slice(at + 1).find((item) => left.some((other) => isSame(item, other)))
          : undefined;
      const next = behind && left.find((item) => isSame(item, behind));
      show(next ?? null, next !== undefined);
    },
  };
}
