import { Info, ShieldAlert, ShieldCheck, ShieldQuestion, TriangleAlert } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { FactLine } from "@/components/fact-line";
import { Field } from "@/components/field";
import { Icon } from "@/components/icon";
import { ImportValues } from "@/components/import-values";
import { Input } from "@/components/input";
import { LinkDialog } from "@/components/link-dialog";
import { TheirVoice, UntrustedText } from "@/components/their-voice";
import { Checkbox, SegmentedControl } from "@/components/toggles";
import type { BundleReview } from "@/ipc/bindings/BundleReview";
import type { InstalledServer } from "@/ipc/bindings/InstalledServer";
import type { SignatureState } from "@/ipc/bindings/SignatureState";
import { formatBytes, formatList } from "@/lib/format";
import type { ImportValues as Values } from "@/lib/import-values";
import { showVault } from "@/lib/overlays";
import { wholeSentence } from "@/lib/sentence";
import { quotedLine, visibleLine } from "@/lib/untrusted";
import { Command } from "./command";
import { WhatDiffers } from "./what-differs";

/** What is known of a bundle before anything of it runs, and what the person decides about it. */
export function Review({
  review,
  target,
  beside,
  onBeside,
  name,
  taken,
  tried,
  onName,
  gives,
  onGives,
  values,
  onValues,
  onVaultOpen,
  disabled,
}: {
  review: BundleReview;
  /** The server that it becomes a new version of. */
  target: InstalledServer | null;
  beside: boolean;
  onBeside: (beside: boolean) => void;
  name: string;
  /** Whether another server has that name. */
  taken: boolean;
  /** Whether missing values are marked. */
  tried: boolean;
  onName: (name: string) => void;
  /** Whether the person agreed that it gets the secrets of the server. */
  gives: boolean;
  onGives: (gives: boolean) => void;
  values: Values;
  onValues: (values: Values) => void;
  onVaultOpen: () => void;
  disabled: boolean;
}) {
  const { t, i18n } = useTranslation("bundles");
  const { update } = review;
  const kept = update !== null && (update.consent === null || gives) ? update.kept : [];
  return (
    <fieldset disabled={disabled} className="m-0 flex min-w-0 flex-col gap-4 border-0 p-0">
      <About review={review} />
      {review.problem !== null && <ErrorNotice title={t("notHere")} why={wholeSentence(review.problem, i18n.language)} />}
      {review.installed[0] !== undefined && review.problem === null && (
        <div className="flex flex-col items-start gap-1.5">
          {!review.installed[0].same && (
            <SegmentedControl
              label={t("as.label")}
              value={beside ? "beside" : "update"}
              onChange={(value) => onBeside(value === "beside")}
              options={[
                { value: "update", label: t("as.update", { name: quotedLine(review.installed[0].name) }) },
                { value: "beside", label: t("as.beside") },
              ]}
            />
          )}
          <p className="m-0 text-fg-2">
            {target === null
              ? t("as.besideText")
              : target.same
                ? t("as.same", { name: quotedLine(target.name) })
                : t("as.versions", { from: visibleLine(target.version), to: visibleLine(review.version) })}
          </p>
        </div>
      )}
      {review.server !== null && <Command server={review.server} title={t("runs")} by={review.title} />}
      {target !== null && !target.same && update !== null && <WhatDiffers change={update} name={review.title} />}
      {update !== null && target !== null && update.removed.length > 0 && (
        <Note>{t("removed", { count: update.removed.length, names: formatList(update.removed.map(quotedLine), i18n.language) })}</Note>
      )}
      {review.notes.map((note) => (
        <Note key={note.text}>{wholeSentence(note, i18n.language)}</Note>
      ))}
      {update?.consent != null && target !== null && (
        <Consent
          why={wholeSentence(update.consent, i18n.language)}
          secrets={update.kept.map((key) => titleOf(review, key))}
          name={target.name}
          gives={gives}
          onGives={onGives}
        />
      )}
      {review.noVault !== null && (
        <ErrorNotice tone="warn" title={t("noVault")} why={wholeSentence(review.noVault, i18n.language)}>
          <Button onClick={() => showVault(onVaultOpen)}>{t("problem.vault.open", { ns: "sign-in" })}</Button>
        </ErrorNotice>
      )}
      {target === null && review.problem === null && (
        <Field label={t("name")} error={taken ? t("taken") : tried && name.trim() === "" && t("problem.needed", { ns: "servers" })}>
          {(wiring) => <Input {...wiring} value={name} onChange={(event) => onName(event.target.value)} />}
        </Field>
      )}
      {review.inputs.length > 0 && review.problem === null && (
        <ImportValues entries={[review]} values={values} tried={tried} onValues={onValues} kept={new Set(kept)} />
      )}
    </fieldset>
  );
}

const titleOf = (review: BundleReview, key: string): string => review.inputs.find((input) => input.key === key)?.title ?? key;

const SIGNATURES = {
  unsigned: { icon: ShieldQuestion, tone: "text-fg-3" },
  self_signed: { icon: ShieldCheck, tone: "text-fg-2" },
  signed: { icon: ShieldCheck, tone: "text-ok" },
  unverified: { icon: ShieldAlert, tone: "text-warn" },
} as const satisfies Record<SignatureState, unknown>;

/** Who made it and what it says about itself. */
function About({ review }: { review: BundleReview }) {
  const { t, i18n } = useTranslation("bundles");
  const [link, setLink] = useState<string | null>(null);
  const { icon, tone } = SIGNATURES[review.signature];
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-col gap-1">
        <div className="text-fg-2">
          <FactLine
            facts={[
              t("version", { version: visibleLine(review.version) }),
              t("by", { author: visibleLine(review.author) }),
              t(`program.${review.program}`),
              formatBytes(review.bytes, i18n.language),
            ]}
          />
        </div>
        <p className="m-0 flex gap-1.5 text-fg-2">
          <Icon of={icon} className={`mt-0.75 shrink-0 ${tone}`} />
          <span className="min-w-0 wrap-any">
            {wholeSentence(review.signatureText, i18n.language)}
            {review.signature === "unsigned" && ` ${t("unsigned")}`}
          </span>
        </p>
      </div>
      {review.description.trim() !== "" && (
        <TheirVoice server={review.title} says={t("says")} className="mt-2">
          {review.description}
        </TheirVoice>
      )}
      {review.links.length > 0 && (
        <ul aria-label={t("links")} className="m-0 flex list-none flex-col p-0">
          {review.links.map((url) => (
            <li key={url} className="min-w-0">
              <button
                type="button"
                onClick={() => setLink(url)}
                className="h-6 max-w-full truncate rounded-xs text-left text-sm text-accent hover:underline"
              >
                <UntrustedText text={url} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {link !== null && <LinkDialog url={link} onClose={() => setLink(null)} />}
    </div>
  );
}

/** Asks whether an update without a signature gets the secrets of the server. */
function Consent({
  why,
  secrets,
  name,
  gives,
  onGives,
}: {
  why: string;
  secrets: readonly string[];
  name: string;
  gives: boolean;
  onGives: (gives: boolean) => void;
}) {
  const { t, i18n } = useTranslation("bundles");
  const id = useId();
  const names = formatList(secrets.map(quotedLine), i18n.language);
  return (
    <section aria-label={t("consent.title")} className="rounded-m border border-line bg-warn-soft p-3">
      <p className="m-0 flex gap-2">
        <Icon of={TriangleAlert} className="mt-0.75 shrink-0 text-warn" />
        <span className="min-w-0 wrap-any">{why}</span>
      </p>
      <div className="mt-2 ml-6 flex gap-2">
        <span className="mt-0.5 inline-flex">
          <Checkbox id={id} checked={gives} onChange={onGives} />
        </span>
        <label htmlFor={id} className="min-w-0 wrap-any">
          {t("consent.give", { count: secrets.length, names, name: quotedLine(name) })}
          <span className="block text-sm text-fg-2">{t("consent.otherwise", { count: secrets.length })}</span>
        </label>
      </div>
    </section>
  );
}

function Note({ children }: { children: ReactNode }) {
  return (
    <p className="m-0 flex gap-1.5 text-fg-2">
      <Icon of={Info} className="mt-0.75 shrink-0 text-warn" />
      <span className="min-w-0 wrap-any">{children}</span>
    </p>
  );
}
