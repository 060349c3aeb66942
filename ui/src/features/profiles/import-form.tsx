import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { DialogBody, DialogFooter, DialogForm } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Field } from "@/components/field";
import { Input, Textarea } from "@/components/input";
import type { ProfileReview } from "@/ipc/bindings/ProfileReview";
import type { ReviewedServer } from "@/ipc/bindings/ReviewedServer";
import { errorText, errorWords } from "@/lib/error-text";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { Choice } from "./choice";

/** Reads a profile's file, shows what is here and what is missing, and saves it then. */
export function ImportForm({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation(["profiles", "common"]);
  const [text, setText] = useState("");
  const [review, setReview] = useState<ProfileReview | null>(null);
  const { run, busy, error } = useCommand({ failure: "shown" });
  if (review !== null) return <Review text={text} review={review} onBack={() => setReview(null)} onDone={onDone} />;
  return (
    <DialogForm onSubmit={() => void run("review_profile", { text }, { done: setReview })}>
      <DialogBody>
        <Field label={t("import.paste")} hint={t("import.hint")} error={error === null ? undefined : errorText(error)}>
          {(wiring) => <Textarea {...wiring} code rows={8} value={text} onChange={(event) => setText(event.target.value)} />}
        </Field>
      </DialogBody>
      <DialogFooter>
        <span className="flex-1" />
        <Button onClick={onDone}>{t("cancel", { ns: "common" })}</Button>
        <Button type="submit" look="primary" busy={busy} disabled={text.trim() === ""}>
          {t("import.review")}
        </Button>
      </DialogFooter>
    </DialogForm>
  );
}

function Review({ text, review, onBack, onDone }: { text: string; review: ProfileReview; onBack: () => void; onDone: () => void }) {
  const { t } = useTranslation("profiles");
  const [name, setName] = useState(review.name);
  const [others, setOthers] = useState(false);
  const [project, setProject] = useState(false);
  const { run, busy, error } = useCommand({ failure: "shown" });
  const hasOthers = review.servers.some(({ server, runsHere }) => server !== null && runsHere !== null);
  const taken = review.isTaken && name === review.name ? t("import.taken") : undefined;
  const save = () => void run("import_profile", { text, choice: { name, others, project } }, { done: onDone });
  return (
    <DialogForm onSubmit={save}>
      <DialogBody>
        <div className="flex flex-col gap-4">
          <p className="m-0 text-fg-2">{t("import.about")}</p>
          <Field label={t("form.name")} hint={taken}>
            {(wiring) => <Input {...wiring} value={name} onChange={(event) => setName(event.target.value)} />}
          </Field>
          <section>
            <h3 className="mt-0 mb-1 font-[560]">{t("form.servers")}</h3>
            <ul className="m-0 flex list-none flex-col gap-1 p-0">
              {review.servers.map((server) => (
                <ServerLine key={server.name} server={server} others={others} />
              ))}
            </ul>
          </section>
          {hasOthers && <Choice label={t("import.others")} checked={others} onChange={setOthers} />}
          {review.hidden > 0 && <p className="m-0 text-fg-2">{t("fact.hidden", { count: review.hidden })}</p>}
          {review.folders !== null && (
            <section>
              <h3 className="mt-0 mb-1 font-[560]">{t("form.folders")}</h3>
              <ul className="m-0 flex list-none flex-col gap-1 p-0">
                {review.folders.map(({ path, isHere }) => (
                  <li key={path} className="flex flex-wrap gap-x-2">
                    <span className="mono min-w-0 wrap-any">{visibleLine(path)}</span>
                    {!isHere && <span className="text-warn">{t("import.notShared")}</span>}
                  </li>
                ))}
              </ul>
            </section>
          )}
          {review.project?.isHere === true && (
            <Choice label={t("import.project", { path: visibleLine(review.project.path) })} checked={project} onChange={setProject} />
          )}
          {error !== null && <ErrorNotice answers title={t("form.failed")} {...errorWords(error)} />}
        </div>
      </DialogBody>
      <DialogFooter>
        <span className="flex-1" />
        <Button onClick={onBack}>{t("form.back")}</Button>
        <Button type="submit" look="primary" busy={busy} disabled={name.trim() === ""}>
          {t("import.save")}
        </Button>
      </DialogFooter>
    </DialogForm>
  );
}

function ServerLine({ server, others }: { server: ReviewedServer; others: boolean }) {
  const { t } = useTranslation("profiles");
  const { name, runs, runsHere } = server;
  const state = () => {
    if (server.server === null) return t("import.missing");
    if (runsHere === null) return t("import.found");
    return others ? t("import.otherOn", { runs: visibleLine(runsHere) }) : t("import.other", { runs: visibleLine(runsHere) });
  };
  const isFound = server.server !== null && (runsHere === null || others);
  return (
    <li className="flex flex-wrap gap-x-2">
      <span className="min-w-0 font-[540] wrap-any">{visibleLine(name)}</span>
      <span className="mono min-w-0 wrap-any text-fg-3">{visibleLine(runs)}</span>
      <span className={isFound ? "text-ok" : "text-warn"}>{state()}</span>
    </li>
  );
}
