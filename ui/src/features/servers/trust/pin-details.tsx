import { Check } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { JsonText } from "@/components/code-block";
import { ErrorNotice } from "@/components/error-notice";
import { Fold } from "@/components/fold";
import { TheirVoice } from "@/components/their-voice";
import type { PinView } from "@/ipc/bindings/PinView";
import { hideUserInfo, hideUserInfoOf } from "@/lib/secrets";
import { indentJson } from "@/lib/json-tokens";
import { formatBytes, formatMoment } from "@/lib/format";
import { Changes } from "./changes";
import { Hidden } from "./hidden";

/** A thing from close by: what changed, what hides in it, its definition, and the approval of exactly that. */
export function PinDetails({
  pin,
  server,
  busy,
  unseen = false,
  onApprove,
}: {
  pin: PinView;
  server: string;
  busy: boolean;
  /** There is nothing yet that an approval could name. */ unseen?: boolean;
  onApprove: () => void;
}) {
  const { t, i18n } = useTranslation("trust");
  const isCommand = pin.kind === "server";
  const changes = isCommand ? pin.changes.map((change) => ({ ...change, pieces: hideUserInfoOf(change.pieces) })) : pin.changes;
  const definition = (
    <TheirVoice server={server} says={t("definition.frame")} code tall>
      <JsonText text={indentJson(isCommand ? hideUserInfo(pin.now) : pin.now)} />
    </TheirVoice>
  );
  const open = !unseen && (pin.state === "new" || pin.state === "changed");
  return (
    <div className="flex flex-col gap-3">
      {pin.state === "gone" && <p className="m-0 text-fg-2">{t("gone")}</p>}
      {pin.kind === "instructions" && <p className="m-0 text-fg-2">{t("instructions")}</p>}
      {pin.whole !== null && (
        <ErrorNotice
          tone="warn"
          title={t("abridged.title")}
          why={t("abridged.why", { size: formatBytes(pin.whole, i18n.language) })}
          next={open ? t("abridged.next") : undefined}
        />
      )}
      {pin.changes.length > 0 && <Changes server={server} changes={changes} unshown={pin.unshown} approved={pin.approvedAt !== null} />}
      {pin.hidden.length > 0 && <Hidden characters={pin.hidden} />}
      {pin.changes.length > 0 || !open ? <Fold title={t("definition.show")}>{definition}</Fold> : definition}
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 flex-1 text-sm text-fg-3">
          {unseen
            ? t("unseen")
            : pin.approvedAt === null
              ? t("never")
              : t(pin.state === "changed" ? "before" : "since", { at: formatMoment(pin.approvedAt, i18n.language) })}
        </span>
        {open && (
          <Button icon={Check} busy={busy} onClick={onApprove}>
            {t(pin.state === "changed" ? "approve.changed" : "approve.one")}
          </Button>
        )}
      </div>
    </div>
  );
}
