import { Folder, FolderX, Pencil, TriangleAlert, X } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { Chip } from "@/components/chip";
import { Icon } from "@/components/icon";
import { Input } from "@/components/input";
import { UntrustedText } from "@/components/their-voice";
import type { RootView } from "@/ipc/bindings/RootView";
import type { Sentence } from "@/ipc/bindings/Sentence";
import { composing } from "@/lib/composing";
import { cx } from "@/lib/cx";
import { useFocusPassedOn } from "@/lib/row-focus";
import { sentence } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import { type FolderActions, folderName } from "./actions";

const intoFocus = (input: HTMLInputElement | null) => {
  input?.focus();
  input?.select();
};

/** Folders with their names and paths. Without actions they are read-only. */
export function FolderList({
  roots,
  label,
  actions,
  bare = false,
}: {
  roots: readonly RootView[];
  label: string;
  actions?: FolderActions;
  /** Inside another frame. */ bare?: boolean;
}) {
  return (
    <ul aria-label={label} className={cx("m-0 list-none overflow-hidden p-0", !bare && "rounded-m border border-line")}>
      {roots.map((root) => (
        <FolderRow key={root.id} root={root} roomy={bare} {...(actions ? { actions } : {})} />
      ))}
    </ul>
  );
}

function FolderRow({ root, roomy, actions }: { root: RootView; roomy: boolean; actions?: FolderActions }) {
  const { t, i18n } = useTranslation("roots");
  const [naming, setNaming] = useState(false);
  const row = useFocusPassedOn<HTMLLIElement>();
  const name = folderName(root);
  const finish = (text: string | null) => {
    setNaming(false);
    if (text !== null && text.trim() !== (root.name ?? "")) void actions?.rename(root.id, text);
  };
  return (
    <li ref={row} className={cx("flex items-start gap-2.5 border-b border-line py-2 last:border-0", roomy ? "pr-2 pl-4" : "pr-1.5 pl-3")}>
      <Icon
        of={root.problem === null ? Folder : FolderX}
        className={cx("mt-0.75 shrink-0", root.problem === null ? "text-fg-3" : "text-warn")}
      />
      <div data-name-cell className="min-w-0 flex-1">
        {!naming ? (
          <span className="flex min-w-0 items-center gap-1.5">
            <b className="min-w-0 truncate font-[560]" title={name}>
              <bdi>{name}</bdi>
            </b>
            {root.wide && (
              <Chip tone="warn">
                <Icon of={TriangleAlert} size={12} />
                {t("wide")}
              </Chip>
            )}
          </span>
        ) : (
          <NameField root={root} label={t("nameOf", { name })} onDone={finish} />
        )}
        <span className="mono selectable block wrap-any text-fg-3">
          <UntrustedText text={root.path} />
        </span>
        {root.problem !== null && (
          <p className="m-0 mt-0.5 wrap-any text-warn">{t("leftOut", { why: reason(root.path, root.problem, i18n.language) })}</p>
        )}
      </div>
      {actions && (
        <>
          <IconButton small icon={Pencil} label={t("rename", { name })} onClick={() => setNaming(true)} />
          <IconButton small icon={X} label={t("remove", { name })} onClick={() => void actions.remove(root)} />
        </>
      )}
    </li>
  );
}

/** Why a folder is left out, without its path, which is shown above. */
function reason(path: string, problem: Sentence, language: string): string {
  const { path: named, why } = problem.params;
  if (named !== path || why === undefined) return sentence(problem, language);
  return typeof why === "string" ? visibleLine(why) : sentence(why, language);
}

/** The field to rename a folder. Enter or leaving the field saves, Escape cancels. Only the first of them counts. */
function NameField({ root, label, onDone }: { root: RootView; label: string; onDone: (text: string | null) => void }) {
  const [text, setText] = useState(root.name ?? "");
  const over = useRef(false);
  const done = (result: string | null) => {
    if (over.current) return;
    over.current = true;
    onDone(result);
  };
  return (
    <Input
      ref={intoFocus}
      aria-label={label}
      placeholder={folderName({ name: null, path: root.path })}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => done(text)}
      onKeyDown={(event) => {
        if (composing(event.nativeEvent)) return;
        if (event.key === "Enter") done(text);
        if (event.key !== "Escape") return;
        // Escape must not close anything else.
        event.preventDefault();
        event.stopPropagation();
        done(null);
      }}
      className="mb-0.5"
    />
  );
}
