import { useQuery } from "@tanstack/react-query";
import { FileBadge, Plus, TriangleAlert, X } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, IconButton } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import { UntrustedText } from "@/components/their-voice";
import type { CertificateView } from "@/ipc/bindings/CertificateView";
import { certificates } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { formatBytes, formatMoment } from "@/lib/format";
import { encodeBase64 } from "@/lib/media";
import { useFocusPassedOn } from "@/lib/row-focus";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { useNow } from "@/lib/use-now";
import { SettingArea } from "./section";

/** The largest file that is read, in bytes. */
const MOST_BYTES = 1024 * 1024;

/** The certificates that are trusted besides the system's. */
export function Certificates() {
  const { t, i18n } = useTranslation("settings");
  const query = useQuery(certificates());
  const { run, error, clear } = useCommand({ failure: "shown" });
  const { run: change } = useCommand();
  const [found, setFound] = useState<readonly CertificateView[] | null>(null);
  const picker = useRef<HTMLInputElement>(null);
  const trusted = query.data ?? [];
  const problem = error ?? query.error;

  const take = async (file: File | undefined) => {
    if (!file) return;
    clear();
    if (file.size > MOST_BYTES) {
      const size = formatBytes(MOST_BYTES, i18n.language);
      return toast({ text: t("network.tooLarge", { name: visibleLine(file.name), size }), tone: "bad" });
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    const read = await run("read_certificates", { file: encodeBase64(bytes) });
    if (read) setFound(read);
  };
  const remove = async (certificate: CertificateView) => {
    const { fingerprint, der, name } = certificate;
    const undo = () => void change("add_certificates", { ders: [der] });
    const done = () => toast({ text: t("network.removed", { name: visibleLine(name) }), undo });
    await change("remove_certificate", { fingerprint }, { done });
  };

  return (
    <SettingArea setting="certificates">
      <div className="flex items-start gap-6 px-4 py-2.5">
        <div className="min-w-0 flex-1">
          <h3 className="m-0 text-md font-[540]">{t("network.certificates.label")}</h3>
          <p className="m-0 text-sm text-fg-3">{t("network.certificates.hint")}</p>
        </div>
        <div data-control>
          <Button icon={Plus} onClick={() => picker.current?.click()}>
            {t("network.add")}
          </Button>
          <input
            ref={picker}
            type="file"
            accept=".pem,.crt,.cer,.der"
            hidden
            onChange={(event) => {
              void take(event.currentTarget.files?.[0]);
              // Allows choosing the same file again after a change.
              event.currentTarget.value = "";
            }}
          />
        </div>
      </div>
      {problem && (
        <div className="border-t border-line p-3">
          <ErrorNotice title={t(error ? "network.unread" : "network.unlisted")} answers {...errorWords(problem)} />
        </div>
      )}
      {trusted.length > 0 && (
        <ul aria-label={t("network.certificates.label")} className="m-0 list-none border-t border-line p-0">
          {trusted.map((certificate) => (
            <CertificateRow key={certificate.fingerprint} certificate={certificate} onRemove={() => void remove(certificate)} />
          ))}
        </ul>
      )}
      {found && <TrustDialog found={found} known={new Set(trusted.map(({ fingerprint }) => fingerprint))} onClose={() => setFound(null)} />}
    </SettingArea>
  );
}

/** A fingerprint has two lines of sixteen bytes each, so that it is easier to compare. */
const HALVES = /.{1,48}/g;

function CertificateRow({ certificate, onRemove }: { certificate: CertificateView; onRemove?: () => void }) {
  const { t, i18n } = useTranslation("settings");
  const row = useFocusPassedOn<HTMLLIElement>();
  const { name, issuer, fingerprint, endsMs } = certificate;
  const over = endsMs < useNow(60_000);
  return (
    <li ref={row} className="flex items-start gap-2.5 border-b border-line py-2 pr-2 pl-4 last:border-0">
      <Icon of={over ? TriangleAlert : FileBadge} className={over ? "mt-0.75 shrink-0 text-warn" : "mt-0.75 shrink-0 text-fg-3"} />
      <div className="min-w-0 flex-1">
        <b className="block truncate font-[560]">
          <UntrustedText text={name} />
        </b>
        <span className="block text-fg-2">
          {issuer !== name && <>{t("network.issuedBy", { name: visibleLine(issuer) })} · </>}
          <span className={over ? "text-warn" : undefined}>
            {t(over ? "network.ended" : "network.ends", { at: formatMoment(endsMs, i18n.language) })}
          </span>
        </span>
        <span className="mono selectable block text-sm wrap-any text-fg-3">
          <span className="block">SHA-256 </span>
          {fingerprint.match(HALVES)?.map((half) => (
            <span key={half} className="inline-block">
              {half}
            </span>
          ))}
        </span>
      </div>
      {onRemove && <IconButton small icon={X} label={t("network.remove", { name: visibleLine(name) })} onClick={onRemove} />}
    </li>
  );
}

/** What trusting an authority means, and the content of its certificate. */
function TrustDialog({ found, known, onClose }: { found: readonly CertificateView[]; known: ReadonlySet<string>; onClose: () => void }) {
  const { t } = useTranslation("settings");
  const { run, busy, error } = useCommand({ failure: "shown" });
  const fresh = found.filter(({ fingerprint }) => !known.has(fingerprint));
  const trust = async () => {
    const added = await run("add_certificates", { ders: fresh.map(({ der }) => der) });
    if (added !== undefined) onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={fresh.length === 0 ? t("network.knownTitle", { count: found.length }) : t("network.trustTitle", { count: fresh.length })}
      description={t(fresh.length === 0 ? "network.knownText" : "network.trustText")}
      footer={
        <>
          <span className="flex-1" />
          <Button onClick={onClose}>{t(fresh.length === 0 ? "close" : "cancel", { ns: "common" })}</Button>
          {fresh.length > 0 && (
            <Button look="danger" busy={busy} onClick={() => void trust()}>
              {t("network.trust", { count: fresh.length })}
            </Button>
          )}
        </>
      }
    >
      {error && <ErrorNotice title={t("network.untrusted")} answers {...errorWords(error)} />}
      <ul className="m-0 list-none overflow-hidden rounded-m border border-line p-0">
        {(fresh.length === 0 ? found : fresh).map((certificate) => (
          <CertificateRow key={certificate.fingerprint} certificate={certificate} />
        ))}
      </ul>
    </Dialog>
  );
}
