import { Folder, FolderOpen, FolderX, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { Said } from "@/components/said";
import { Quoted, QuotedName, UntrustedText } from "@/components/their-voice";
import type { Sentence } from "@/ipc/bindings/Sentence";
import { cx } from "@/lib/cx";
import { useQuestion } from "../use-question";
import { besideQuotes, leadIn } from "@/lib/lead-in";
import { AnswerBar } from "../detail/answer-bar";
import { QuestionFrame } from "../detail/frame";
import { Part } from "../detail/part";
import { declineWord, RememberChoice } from "../detail/remember";
import type { DetailProps, Kind } from "./kind";

/** The systems' errors for a missing and for an unreadable folder. */
const NOT_FOUND = /\(os error [23]\)$/;
const NO_ACCESS = /\(os error 13\)$/;

/** Why a folder is left out, without its path, which is shown above. */
function Why({ of, path }: { of: Sentence; path: string }) {
  const { t } = useTranslation("inbox");
  const { path: named, why } = of.params;
  if (named !== path || why === undefined) return <Said said={of} />;
  if (typeof why === "string" && NOT_FOUND.test(why)) return t("roots.notFound");
  if (typeof why === "string" && NO_ACCESS.test(why)) return t("roots.noAccess");
  return typeof why === "string" ? <Quoted text={why} /> : <Said said={why} />;
}

/** Whether the folders for all servers are shared with this one. */
function RootsDetail({ asked, ...props }: DetailProps<"roots">) {
  const { t, i18n } = useTranslation("inbox");
  const question = useQuestion(props, "roots");
  const { remember } = question;
  const shared = asked.folders.filter((folder) => folder.problem === null);
  return (
    <QuestionFrame
      question={question}
      kicker={t("kicker.roots")}
      title={
        <>
          {t("title.roots.before", { count: shared.length })}
          {besideQuotes(i18n.language)}
          <QuotedName text={props.view.serverName} />
          {t("title.roots.after")}
        </>
      }
      lead={t("roots.about")}
      bar={
        <AnswerBar
          question={question}
          yes={{ label: t(`answer.roots.${remember}`), icon: FolderOpen, onPress: () => question.accept(null) }}
          declineLabel={remember === "always" ? t("answer.neverShare") : declineWord(remember, t)}
        />
      }
    >
      <Part title={t(props.view.transport === "stdio" ? "handed" : "leaves")}>
        <ul className="m-0 list-none divide-y divide-line rounded-m border border-line bg-sunken p-0">
          {asked.folders.map((folder) => (
            <li key={folder.path} className="flex items-start gap-2.5 px-3 py-2">
              <Icon
                of={folder.problem === null ? Folder : FolderX}
                className={cx("mt-0.75 shrink-0", folder.problem === null ? "text-fg-3" : "text-warn")}
              />
              <div className="min-w-0 flex-1">
                <code className="selectable block wrap-any">
                  <bdi>
                    <UntrustedText text={folder.path} />
                  </bdi>
                </code>
                {folder.name !== null && (
                  <span className="block text-sm wrap-any text-fg-3">
                    {leadIn(t("roots.named"))}
                    <bdi>
                      <UntrustedText text={folder.name} />
                    </bdi>
                  </span>
                )}
                {folder.problem !== null && (
                  <p className="m-0 mt-0.5 text-sm wrap-any text-warn">
                    {t("roots.leftOut")} <Why of={folder.problem} path={folder.path} />
                  </p>
                )}
              </div>
            </li>
          ))}
        </ul>
      </Part>
      <p className="m-0 mt-2 flex gap-2 text-sm text-fg-2">
        <Icon of={TriangleAlert} className="mt-0.5 shrink-0 text-warn" />
        {t(props.view.transport === "stdio" ? "roots.advisoryLocal" : "roots.advisoryRemote")}
      </p>
      <RememberChoice question={question} kind="roots" />
    </QuestionFrame>
  );
}

export const roots: Kind<"roots"> = {
  role: "server",
  mark: () => ({ icon: FolderOpen, colour: "text-info" }),
  short: (_, t) => t("short.roots"),
  Detail: RootsDetail,
};
