import { CircleCheck, Shield, ShieldCheck } from "lucide-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { ErrorNotice } from "@/components/error-notice";
import { Fold } from "@/components/fold";
import { Icon } from "@/components/icon";
import { Page } from "@/components/page";
import { Skeleton } from "@/components/skeleton";
import { errorWords } from "@/lib/error-text";
import { formatList } from "@/lib/format";
import { toast } from "@/lib/toasts";
import { FindingRow } from "./finding-row";
import { fineAreas, type Finding, isGone, severities } from "./findings";
import { forgetHidden, isHidden, setHidden, useHidden } from "./hidden";
import { useFindings } from "./use-findings";

/** The weaknesses, worst first, each with a button to fix it. */
export function SafetyScreen() {
  const { t } = useTranslation(["safety", "common"]);
  const { findings, pending, complete, error, unconnected, again } = useFindings();
  const fine = useHidden();
  const open = findings.filter((finding) => !isHidden(fine, finding));
  const hidden = findings.filter((finding) => isHidden(fine, finding));
  const hide = ({ id }: Finding) => {
    setHidden(id, true);
    toast({ text: t("hiddenNow"), undo: () => setHidden(id, false) });
  };
  useEffect(() => {
    if (!pending && error === null) forgetHidden((id) => isGone(id, findings, unconnected));
  }, [findings, pending, error, unconnected]);
  const isClean = open.length === 0 && error === null;

  return (
    <Page title={t("place")}>
      {!complete && error === null ? (
        <Skeleton rows={6} />
      ) : (
        <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
          <div className="mx-auto flex w-full max-w-220 flex-1 flex-col gap-5 px-5 py-5">
            {error !== null && (
              <ErrorNotice title={t("partly")} {...errorWords(error)}>
                <Button onClick={again}>{t("common:tryAgain")}</Button>
              </ErrorNotice>
            )}
            {isClean && (pending ? <Skeleton rows={2} /> : <EmptyState icon={ShieldCheck} title={t("none")} text={t("noneText")} />)}
            {open.length > 0 && <Summary findings={open} />}
            {severities.map((severity) => {
              const of = open.filter((finding) => finding.severity === severity);
              return (
                of.length > 0 && (
                  <section key={severity} aria-labelledby={`safety-${severity}`}>
                    <div className="mb-2 flex items-baseline gap-2">
                      <h2 id={`safety-${severity}`} className="m-0 text-md font-semibold">
                        {t(`severity.${severity}`)}
                      </h2>
                      <span className="text-sm text-fg-3 tabular">{of.length}</span>
                    </div>
                    <List label={t(`severity.${severity}`)} findings={of} onHide={hide} />
                  </section>
                )
              );
            })}
            {open.length > 0 && !pending && error === null && <Fine findings={findings} />}
            {unconnected > 0 && <p className="m-0 text-sm text-fg-3">{t("unconnected", { count: unconnected })}</p>}
            {hidden.length > 0 && (
              <Fold title={t("hidden")} count={hidden.length}>
                <List label={t("hidden")} findings={hidden} hidden onHide={({ id }) => setHidden(id, false)} />
              </Fold>
            )}
          </div>
        </div>
      )}
    </Page>
  );
}

/** A summary of the findings. */
function Summary({ findings }: { findings: readonly Finding[] }) {
  const { t } = useTranslation("safety");
  const high = findings.filter(({ severity }) => severity === "high").length;
  return (
    <div className="flex items-start gap-3">
      <span className="grid size-10 shrink-0 place-items-center rounded-l border border-line bg-sunken text-fg-3">
        <Icon of={Shield} size={20} />
      </span>
      <div className="min-w-0">
        <p role="status" className="m-0 text-lg font-[620]">
          {t("count", { count: findings.length })}
        </p>
        <p className="m-0 text-fg-2">{high > 0 ? t("urgent", { count: high }) : t("calm")}</p>
      </div>
    </div>
  );
}

/** The areas without findings, in one line. */
function Fine({ findings }: { findings: readonly Finding[] }) {
  const { t, i18n } = useTranslation("safety");
  const areas = fineAreas(findings);
  if (areas.length === 0) return null;
  return (
    <p className="m-0 flex gap-2 text-fg-2">
      <Icon of={CircleCheck} className="mt-0.75 shrink-0 text-ok" />
      {t("well", {
        areas: formatList(
          areas.map((area) => t(`area.${area}`)),
          i18n.language,
        ),
      })}
    </p>
  );
}

function List({
  label,
  findings,
  hidden = false,
  onHide,
}: {
  label: string;
  findings: readonly Finding[];
  hidden?: boolean;
  onHide: (finding: Finding) => void;
}) {
  return (
    <ul aria-label={label} className="m-0 list-none rounded-m border border-line p-0">
      {findings.map((finding) => (
        <FindingRow key={finding.id} finding={finding} hidden={hidden} onHide={() => onHide(finding)} />
      ))}
    </ul>
  );
}
