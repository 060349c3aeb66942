import { Check, FileDiff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog, DialogFooter, DialogReading } from "@/components/dialog";
import { Quoted } from "@/components/their-voice";
import type { PinView } from "@/ipc/bindings/PinView";
import { formatMoment } from "@/lib/format";
import { isOpen } from "./open";
import { PinDetails } from "./pin-details";

/** A thing over the whole width of the window: what its approval means, what it is, and the approval of exactly that, always in reach. */
export function Review({
  pin,
  server,
  unseen,
  busy,
  onApprove,
  onClose,
}: {
  pin: PinView;
  server: string;
  /** There is nothing yet that an approval could name. */
  unseen: boolean;
  busy: boolean;
  onApprove: () => void;
  onClose: () => void;
}) {
  const { t, i18n } = useTranslation(["trust", "common"]);
  const changed = pin.state === "changed";
  const hides = pin.hidden.length > 0;
  const title = (
    <>
      {t(changed ? "review.changed" : `kind.${pin.kind}`)}
      {pin.name !== "" && (
        <>
          {" "}
          <Quoted text={pin.name} />
        </>
      )}
    </>
  );
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} size="xl" bare title={title} description={t(`meaning.${pin.kind}`)}>
      <DialogReading label={t("definition.show")}>
        <PinDetails pin={pin} server={server} />
      </DialogReading>
      <DialogFooter>
        <span className="min-w-0 flex-1 text-sm text-fg-3">
          {unseen
            ? t("unseen")
            : pin.approvedAt === null
              ? t("never")
              : t(changed ? "before" : "since", { at: formatMoment(pin.approvedAt, i18n.language) })}
        </span>
        <Button look="ghost" onClick={onClose}>
          {t("common:close")}
        </Button>
        {isOpen(pin) && !unseen && (
          <Button
            look={hides ? "primaryDanger" : changed ? "danger" : "default"}
            icon={changed ? FileDiff : Check}
            busy={busy}
            onClick={onApprove}
          >
            {t(hides ? "approve.anyway" : changed ? "approve.changed" : "approve.one")}
          </Button>
        )}
      </DialogFooter>
    </Dialog>
  );
}
