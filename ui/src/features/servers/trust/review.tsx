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

/** A thing over the whole width of the window: what its approval means, what it is, and the approval of exactly that, always in reach. */
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
  /** There is nothing yet that an approval could name. */
  unseen: boolean;
  busy: boolean;
  followed: boolean;
  place: ReviewState["place"];
  onApprove: () => void;
  onStep: (by: 1 | -1) => void;
  /** The tool was turned off. */
  onOff: () => void;
  onClose: () => void;
}) {
  const { t, i18n } = useTranslation(["trust", "common", "servers"]);
  const changed = pin.state === "changed";
  const hides = pin.hidden.length > 0;
  const id = `${server.id}/${pin.kind}/${pin.name}`;
  // The buttons stand where those of the one before it stood.
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

/** Keeps a tool that waits for its approval from everybody, by the switch of the tools; none where that can't be done, or is so already. */
function useTurnOff(server: ServerView, pin: PinView): { isOff: boolean; turnOff: (() => void) | null } {
  const isTool = pin.kind === "tool" && isOpen(pin);
  const { data } = useQuery({ ...toolAccess(server.id), enabled: isTool && server.toolCount !== null });
  const set = useToolSwitch(server.id);
  const access = isTool ? data?.find((item) => item.tool === pin.name) : undefined;
  const isOff = access?.effect === "deny";
  return { isOff, turnOff: access === undefined || isOff || isSettled(access) ? null : () => set(access, "deny") };
}
