// An address that a server wants opened: all of it, and what to look out for.
import { ShieldX, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { AddressView } from "@/ipc/bindings/AddressView";
import type { Sentence } from "@/ipc/bindings/Sentence";
import { leadIn } from "@/lib/lead-in";
import { CopyButton } from "./code-block";
import { Icon } from "./icon";
import { Said } from "./said";
import { UntrustedText } from "./their-voice";

/** The whole address, with what decides whom it belongs to standing out. */
export function Address({ address: { url, before, domain, after, unicodeHost, blocked } }: { address: AddressView }) {
  const { t } = useTranslation("inbox");
  return (
    <div className="group/code relative rounded-m border border-line bg-sunken">
      <div
        data-theirs
        dir="ltr"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
        tabIndex={0}
        role="group"
        aria-label={t("url.address")}
        className="selectable mono inset-focus max-h-40 overflow-auto rounded-m px-3 py-2.5 pr-9 leading-5 wrap-any text-fg-3"
      >
        <UntrustedText text={before} />
        <b className={blocked === null ? "rounded-xs bg-accent-soft px-0.5 font-bold! text-fg" : "font-bold! text-bad"}>
          <UntrustedText text={domain} />
        </b>
        <UntrustedText text={after} />
      </div>
      {unicodeHost !== null && (
        <p className="m-0 border-t border-line px-3 py-2 text-fg-2">
          {t("url.looksLike")}{" "}
          <b data-theirs className="selectable mono wrap-any text-warn">
            <bdi>
              <UntrustedText text={unicodeHost} />
            </bdi>
          </b>
        </p>
      )}
      <CopyButton
        text={url}
        className="absolute top-1.5 right-1.5 bg-sunken opacity-0 group-focus-within/code:opacity-100 group-hover/code:opacity-100"
      />
    </div>
  );
}

/** Why it is never opened, and what about it may mislead. */
export function AddressSigns({ address: { blocked, warnings, misleads } }: { address: AddressView }) {
  const { t } = useTranslation("inbox");
  return (
    <div className={misleads ? "mt-3 rounded-m border border-bad bg-bad-soft px-3 pt-0.5 pb-2.5" : undefined}>
      {blocked !== null && <Sign icon={ShieldX} colour="text-bad" title={t("url.blocked")} said={blocked} />}
      {warnings.map((warning, index) => (
        <Sign key={index} icon={TriangleAlert} colour={misleads ? "text-bad" : "text-warn"} title={null} said={warning} />
      ))}
    </div>
  );
}

function Sign({ icon, colour, title, said }: { icon: typeof ShieldX; colour: string; title: string | null; said: Sentence }) {
  return (
    <p className="m-0 mt-2 flex gap-2">
      <Icon of={icon} className={`mt-0.75 shrink-0 ${colour}`} />
      <span className="min-w-0 wrap-any">
        {title !== null && <b className={colour}>{leadIn(title)}</b>}
        <Said whole said={said} />
      </span>
    </p>
  );
}
