import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { CircleStop } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog, DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { ProgressBar } from "@/components/progress-bar";
import { Skeleton } from "@/components/skeleton";
import type { BundleChoice } from "@/ipc/bindings/BundleChoice";
import type { BundleReview } from "@/ipc/bindings/BundleReview";
import { bundleReview, servers } from "@/ipc/queries";
import { closeBundle, useOpenBundle } from "@/lib/bundles";
import { composing } from "@/lib/composing";
import { errorWords, wantsVault } from "@/lib/error-text";
import { formatCount } from "@/lib/format";
import { enteredValues, type ImportValues, needsValues, previewValues } from "@/lib/import-values";
import { showVault } from "@/lib/overlays";
import { isMac } from "@/lib/platform";
import { toast } from "@/lib/toasts";
import { quotedLine, visibleLine } from "@/lib/untrusted";
import { useArmed } from "@/lib/use-armed";
import { useDebounced } from "@/lib/use-debounced";
import { Review } from "./review";
import { useAddBundle } from "./use-add-bundle";

/** The review of the bundle that was opened, above any screen. */
export function BundleDialog() {
  const path = useOpenBundle();
  return path === null ? null : <Reviewed key={path} path={path} />;
}

const fileOf = (path: string) => visibleLine(path.split(/[/\\]/).at(-1) ?? path);

function Reviewed({ path }: { path: string }) {
  const { t, i18n } = useTranslation("bundles");
  const navigate = useNavigate();
  /** Whether it becomes a server of its own beside one that came from the same bundle. */
  const [beside, setBeside] = useState(false);
  const [name, setName] = useState<string | null>(null);
  const [gives, setGives] = useState(false);
  const [values, setValues] = useState<ImportValues>(new Map());
  const [tried, setTried] = useState(false);
  const { data: saved = [] } = useQuery(servers());
  const shown = useDebounced(values, 200);
  const first = useQuery(bundleReview(path, { update: null, name: null, givesSecrets: gives }, []));
  const target = beside ? null : (first.data?.installed[0] ?? null);
  const typed = name ?? (target === null && first.data !== undefined ? freeName(first.data.name, saved) : "");
  const choice: BundleChoice = {
    update: target?.id ?? null,
    name: target === null && first.data !== undefined ? typed.trim() : null,
    givesSecrets: gives,
  };
  const asked = first.data === undefined ? [] : previewValues([first.data], shown);
  const query = useQuery({ ...bundleReview(path, choice, asked), enabled: first.data !== undefined, placeholderData: (before) => before });
  const review = query.data ?? first.data;
  const armed = useArmed(review?.sha256 ?? "", review === undefined ? null : 0);
  const { add, cancel, running, progress, error } = useAddBundle();
  const close = () => closeBundle(path);
  const taken = target === null && saved.some((server) => server.name === typed.trim());
  const failed = first.error ?? query.error;

  const submit = async () => {
    if (review === undefined || running || !armed || query.isPlaceholderData) return;
    setTried(true);
    if (needsValues([review], values) || taken || (target === null && typed.trim() === "")) {
      requestAnimationFrame(() => document.querySelector<HTMLElement>("[role=dialog] [aria-invalid]")?.focus());
      return;
    }
    const added = await add({ path, sha256: review.sha256, choice, values: enteredValues([review], values) });
    if (added === null) return;
    toast({ text: t(`done.${added.kind}`, { name: quotedLine(added.server.name) }) });
    close();
    void navigate({ to: "/servers", search: { id: added.server.id } });
  };

  const unchanged = target?.same === true && review?.inputs.length === 0;
  const usable = review !== undefined && review.problem === null && !unchanged;
  const submitWords = target === null ? t("submit.add") : target.same ? t("submit.values") : t("submit.update");
  const title =
    review === undefined
      ? fileOf(path)
      : target !== null && !target.same
        ? t("title.update", { name: quotedLine(target.name) })
        : t("title.add", { title: quotedLine(review.title) });
  return (
    <Dialog open onOpenChange={(open) => !open && close()} size="l" title={title} bare>
      <div
        className="flex min-h-0 flex-1 flex-col"
        onKeyDownCapture={(event) => {
          if (event.key !== "Enter" || !(isMac ? event.metaKey : event.ctrlKey) || composing(event.nativeEvent)) return;
          event.preventDefault();
          event.stopPropagation();
          if (!event.repeat && usable) void submit();
        }}
      >
        <DialogBody label={running ? title : undefined}>
          <div className="flex flex-col gap-4">
            {failed !== null && <ErrorNotice title={t("unreadable", { file: fileOf(path) })} {...errorWords(failed)} />}
            {review === undefined && failed === null && <Skeleton rows={6} />}
            {review !== undefined && failed === null && (
              <Review
                review={review}
                target={target}
                beside={beside}
                onBeside={(next) => {
                  setBeside(next);
                  setName(null);
                }}
                name={typed}
                taken={taken}
                tried={tried}
                onName={setName}
                gives={gives}
                onGives={setGives}
                values={values}
                onValues={setValues}
                onVaultOpen={() => void query.refetch()}
                disabled={running}
              />
            )}
            {error !== null && (
              <ErrorNotice
                title={t(target === null ? "failed.add" : "failed.update")}
                answers
                className="scroll-mb-4"
                {...errorWords(error)}
              >
                {wantsVault(error) && (
                  <Button onClick={() => showVault(() => void submit())}>{t("problem.vault.open", { ns: "sign-in" })}</Button>
                )}
              </ErrorNotice>
            )}
          </div>
        </DialogBody>
        <DialogFooter>
          {running ? (
            <div role="status" className="flex min-w-0 flex-1 items-center gap-3">
              <div className="min-w-0 flex-1">
                <ProgressBar label={t("unpacking.label")} value={progress?.done ?? null} max={progress?.total ?? 1} />
              </div>
              <span className="shrink-0 text-fg-2 tabular">
                {progress === null
                  ? t("unpacking.begin")
                  : t("unpacking.progress", {
                      done: formatCount(progress.done, i18n.language),
                      total: formatCount(progress.total, i18n.language),
                    })}
              </span>
            </div>
          ) : (
            <span className="flex-1" />
          )}
          {running ? (
            <Button icon={CircleStop} onClick={cancel}>
              {t("cancel", { ns: "common" })}
            </Button>
          ) : (
            <Button onClick={close}>{t(usable ? "cancel" : "close", { ns: "common" })}</Button>
          )}
          {usable && (
            <Button look="primary" keys="mod+enter" busy={running} arming={!armed} onClick={() => void submit()}>
              {submitWords}
            </Button>
          )}
        </DialogFooter>
      </div>
    </Dialog>
  );
}

/** The bundle's name, with a number if a server has it. */
function freeName(wanted: BundleReview["name"], saved: readonly { readonly name: string }[]): string {
  const names = new Set(saved.map((server) => server.name));
  let free = wanted;
  for (let number = 2; names.has(free); number += 1) free = `${wanted} ${number}`;
  return free;
}
