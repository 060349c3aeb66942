import { useTranslation } from "react-i18next";
import { Changes } from "@/components/changes";
import { JsonText } from "@/components/code-block";
import { ErrorNotice } from "@/components/error-notice";
import { Fold } from "@/components/fold";
import { TheirVoice } from "@/components/their-voice";
import type { PinView } from "@/ipc/bindings/PinView";
import { formatBytes } from "@/lib/format";
import { hideUserInfo, hideUserInfoOf } from "@/lib/secrets";
import { indentJson } from "@/lib/json-tokens";
import { wholeSentence } from "@/lib/sentence";
import { isOpen } from "@/lib/approvals";
import { DefinitionInWords } from "./definition-in-words";
import { Hidden } from "./hidden";
import { inWords } from "./in-words";
import { StartChanged, startChangeOf } from "./start-change";

/** The details of an item: its changes, its hidden characters, and its definition. */
export function PinDetails({ pin, server }: { pin: PinView; server: string }) {
  const { t, i18n } = useTranslation("trust");
  const open = isOpen(pin);
  const isCommand = pin.kind === "server";
  const shown = isCommand ? { ...pin, changes: pin.changes.map((change) => ({ ...change, pieces: hideUserInfoOf(change.pieces) })) } : pin;
  const start = startChangeOf(shown);
  const rest = start === null ? shown : { ...shown, changes: shown.changes.filter((change) => !start.shown.includes(change)) };
  // A changed item was read before, but a new one is shown in full.
  const words = pin.changes.length === 0 ? inWords(pin) : null;
  const definition = (
    <TheirVoice server={server} says={t("definition.frame")} code whole>
      <JsonText text={indentJson(isCommand ? hideUserInfo(pin.now) : pin.now)} />
    </TheirVoice>
  );
  return (
    <div className="flex flex-col gap-3">
      {pin.state === "gone" && <p className="m-0 text-fg-2">{t("gone")}</p>}
      {pin.whole !== null && (
        <ErrorNotice
          tone="warn"
          title={t("abridged.title")}
          why={t("abridged.why", { size: formatBytes(pin.whole, i18n.language) })}
          next={open ? t("abridged.next") : undefined}
        />
      )}
      {start !== null && <StartChanged change={start} pin={pin} server={server} />}
      {rest.changes.length > 0 && <Changes server={server} pin={rest} whole />}
      {pin.forApps !== null && (
        <ErrorNotice
          tone={pin.forApps.leftOut ? "warn" : "info"}
          title={wholeSentence(pin.forApps.why, i18n.language)}
          next={pin.forApps.leftOut ? t("forApps.next") : undefined}
        />
      )}
      {pin.hidden.length > 0 && <Hidden pin={pin} />}
      {words !== null && <DefinitionInWords pin={pin} words={words} server={server} />}
      {open && pin.changes.length === 0 && (words === null || words.unsaid > 0) ? (
        definition
      ) : (
        <Fold title={t("definition.show")}>{definition}</Fold>
      )}
    </div>
  );
}
