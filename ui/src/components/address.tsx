// A URL that a server wants to open: the whole URL with warnings.
import { ShieldX, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { AddressView } from "@/ipc/bindings/AddressView";
import type { Sentence } from "@/ipc/bindings/Sentence";
import { cx } from "@/lib/cx";
import { leadIn } from "@/lib/lead-in";
import { CopyButton } from "./code-block";
import { Icon } from "./icon";
import { Said } from "./said";
import { UntrustedText } from "./their-voice";

/** The warnings about a host name's look and other misleading parts, the gravest first. */
export const gravest: readonly string[] = [
  "The part before the @ isn’t where it leads; it may be there to mislead you.",
  "Its host name looks like {other}, but isn’t.",
  "Its host name mixes several alphabets.",
  "Its host name contains letters that look like others: {host}",
];

const rankOf = ({ code }: Sentence): number => (gravest.includes(code) ? gravest.indexOf(code) : gravest.length);

/** The whole URL, with the part that decides who owns it highlighted. */
export function Address({ address: { url, before, domain, after, blocked } }: { address: AddressView }) {
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
      <CopyButton
        text={url}
        className="absolute top-1.5 right-1.5 bg-sunken opacity-0 group-focus-within/code:opacity-100 group-hover/code:opacity-100"
      />
    </div>
  );
}

/** Why the URL is never opened, and what may be misleading: one notice, the gravest first and the rest as a list. */
export function AddressSigns({ address: { blocked, warnings, misleads } }: { address: AddressView }) {
  const { t } = useTranslation("inbox");
  const sorted = warnings.toSorted((left, right) => rankOf(left) - rankOf(right));
  const [first, ...rest] = blocked === null ? sorted : [blocked, ...sorted];
  if (first === undefined) return null;
  const bad = blocked !== null || misleads;
  const colour = bad ? "text-bad" : "text-warn";
  return (
    <section
      aria-label={t("url.signs")}
      className={cx("mt-3 flex gap-2 rounded-m border px-3 py-2.5", bad ? "border-bad bg-bad-soft" : "border-warn bg-warn-soft")}
    >
      <Icon of={blocked === null ? TriangleAlert : ShieldX} className={cx("mt-0.75 shrink-0", colour)} />
      <div className="min-w-0 flex-1 wrap-any">
        <p className="m-0">
          {blocked === null ? (
            <b className={cx("font-[580]", colour)}>
              <Said whole said={first} />
            </b>
          ) : (
            <>
              <b className={colour}>{leadIn(t("url.blocked"))}</b>
              <Said whole said={first} />
            </>
          )}
        </p>
        {rest.length > 0 && (
          <ul className="m-0 mt-1 list-disc pl-4.5 text-fg-2">
            {rest.map((reason) => (
              <li key={reason.code}>
                <Said whole said={reason} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}
