import { useQuery } from "@tanstack/react-query";
import { Ban, Check, ChevronLeft, ChevronRight, FileDiff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/button";
import { Chip } from "@/components/chip";
import { Dialog, DialogFooter, DialogReading } from "@/components/dialog";
import { Icon } from "@/components/icon";
import { Quoted } from "@/components/their-voice";
import type { PinView } from "@/ipc/bindings/PinView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { toolAccess } from "@/ipc/queries";
import { formatMoment } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { useArmed } from "@/lib/use-armed";
import { isSettled, useToolSwitch } from "../tools/use-tool-switch";
import { isOpen } from "@/lib/approvals";
import { PinDetails } from "./pin-details";
import type { ReviewState } from "./use-review";

/** An item across the window: what its approval means, its content, and the buttons, which are always visible. */
export function Review({
  pin,
  server,
  unseen,
  busy,
  followed,
  place,
  onApprove,
  onStep,
  onOff,
  onClose,
}: {
  pin: PinView;
  server: ServerView;
  /** Whether there is nothing yet that could be approved. */
  unseen: boolean;
  busy: boolean;
  followed: boolean;
  place: ReviewState["place"];
  onApprove: () => void;
  onStep: (by: 1 | -1) => void;
  /** Called when the tool was turned off. */
  onOff: () => void;
  onClose: () => void;
}) {
  const { t, i18n } = useTranslation(["trust", "common", "servers"]);
  const changed = pin.state === "changed";
  const hides = pin.hidden.length > 0;
  const id = `${server.id}/${pin.kind}/${pin.name}`;
  // The buttons are where those of the previous item were.
  const armed = useArmed(`${id} ${pin.hash}`, followed ? 0 : null);
  const arming = followed && !armed;
  const { isOff, turnOff } = useTurnOff(server, pin);
  const title = (
    <>
      <span className="inline-block first-letter:uppercase">{t(changed ? "review.changed" : `kind.${pin.kind}`)}</span>
      {pin.name !== "" && (
        <>
          {" "}
          <Quoted text={pin.name} />
        </>
      )}
    </>
  );
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="xl"
      bare
      title={title}
      description={`${visibleLine(server.name)} · ${t(pin.forApps?.leftOut ? "meaning.leftOut" : `meaning.${pin.kind}`)}`}
    >
      <DialogReading key={id} label={t("definition.show")} focused={followed}>
        <PinDetails pin={pin} server={server.name} />
      </DialogReading>
      <DialogFooter>
        {place !== null && (
          <div role="group" aria-label={t("place.label")} className="flex shrink-0 items-center">
            <IconButton icon={ChevronLeft} label={t("place.previous")} disabled={busy || place.at === 0} onClick={() => onStep(-1)} />
            <span role="status" className="px-1 text-sm whitespace-nowrap text-fg-2 tabular">
              {t("place.of", { at: place.at + 1, count: place.of })}
            </span>
            <IconButton
              icon={ChevronRight}
              label={t("place.next")}
              disabled={busy || place.at === place.of - 1}
              onClick={() => onStep(1)}
            />
          </div>
        )}
        <span className="min-w-0 flex-1 text-sm text-fg-3">
          {unseen
            ? t("unseen")
            : pin.approvedAt === null
              ? t("never")
              : t(changed ? "before" : "since", { at: formatMoment(pin.approvedAt, i18n.language) })}
        </span>
        {isOff && (
          <Chip>
            <Icon of={Ban} size={12} />
            {t("servers:tool.effect.deny")}
          </Chip>
        )}
        {turnOff !== null && (
          <Button
            icon={Ban}
            disabled={busy}
            arming={arming}
            onClick={() => {
              turnOff();
              onOff();
            }}
          >
            {t("turnOff")}
          </Button>
        )}
        {isOpen(pin) && !unseen && (
          <Button
            key={id}
            look={hides ? "primaryDanger" : changed ? "danger" : "primary"}
            icon={changed ? FileDiff : Check}
            busy={busy}
            arming={arming}
            onClick={onApprove}
          >
            {t(hides ? "approve.anyway" : changed ? "approve.changed" : "approve.one")}
          </Button>
        )}
      </DialogFooter>
    </Dialog>
  );
}

/** Turns off a tool that waits for its approval. Null if that isn't possible, or it is already off. */
function useTurnOff(server: ServerView, pin: PinView): { isOff: boolean; turnOff: (() => void) | null } {
  const isTool = pin.kind === "tool" && isOpen(pin);
  const { data } = useQuery({ ...toolAccess(server.id), enabled: isTool && server.toolCount !== null });
  const set = useToolSwitch(server.id);
  const access = isTool ? data?.find((item) => item.tool === pin.name) : undefined;
  const isOff = access?.effect === "deny";
  return { isOff, turnOff: access === undefined || isOff || isSettled(access) ? null : () => set(access, "deny") };
}
