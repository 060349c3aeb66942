import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleX, Info, OctagonAlert, type LucideIcon, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Fold } from "@/components/fold";
import { Icon } from "@/components/icon";
import { UntrustedText } from "@/components/their-voice";
import type { CommandNote } from "@/ipc/bindings/CommandNote";
import type { CommandNoteCode } from "@/ipc/bindings/CommandNoteCode";
import type { CommandCheck } from "@/ipc/bindings/CommandCheck";
import { commandCheck, commandReview } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { formatList } from "@/lib/format";
import { wholeSentence } from "@/lib/sentence";
import { meantProgram, withProgram } from "@/lib/meant-program";
import { useDebounced } from "@/lib/use-debounced";
import { hideUserInfo, looksSecret } from "@/lib/secrets";
import { visibleLine } from "@/lib/untrusted";
import { readCommandLine, relativePaths } from "@/lib/command-line";

/** The warning about a secret argument. Two of them only differ in the number. */
const SECRET_ARGUMENT = /^argument \{number\} looks like a secret/;

/** The findings about a command: whether its program exists, and warnings. Empty without a command. */
export function useCommandFindings(commandLine: string, variables: readonly string[], path: string | null) {
  const { program, args, env } = readCommandLine(commandLine);
  const asked = useDebounced(program, 200);
  const first = useDebounced(path, 200);
  const { data: check } = useQuery({ ...commandCheck(asked, first), enabled: asked !== "", placeholderData: (before) => before });
  const wanted = useDebounced(JSON.stringify([program, args, [...Object.keys(env), ...variables]]), 200);
  const [command, words, names] = JSON.parse(wanted) as [string, string[], string[]];
  const { data: review } = useQuery({
    ...commandReview(command, words, names),
    enabled: command !== "",
    placeholderData: (before) => before,
  });
  return program === "" ? { check: undefined, review: [] } : { check: asked === program ? check : undefined, review: review ?? [] };
}

/** The command with warnings: the program's path, and each argument in full on its own line. */
export function CommandPreview({
  commandLine,
  hasFolder,
  variables,
  path,
  onChange,
}: {
  commandLine: string;
  /** Whether a working folder is set, which relative paths start from. */
  hasFolder: boolean;
  /** The names of the variables that are set outside of the command line. */
  variables: readonly string[];
  /** Their `PATH`, which is searched first. */
  path: string | null;
  /** Replaces the command line. */
  onChange: (commandLine: string) => void;
}) {
  const { t, i18n } = useTranslation("servers");
  const { program, args, env, shellWords } = readCommandLine(commandLine);
  const { check, review: notes } = useCommandFindings(commandLine, variables, path);
  if (program === "") return null;
  const secretArguments = notes.flatMap(({ text }) => {
    const { number } = text.params;
    return SECRET_ARGUMENT.test(text.code) && typeof number === "string" ? [number] : [];
  });
  const isOneOfMany = ({ text }: CommandNote) => secretArguments.length > 1 && SECRET_ARGUMENT.test(text.code);
  const review = notes.filter((note) => !isOneOfMany(note));
  const lost = hasFolder ? [] : relativePaths({ program, args });
  const saying = (wanted: CommandNoteCode) =>
    review.filter(({ code }) => code === wanted).map(({ text }) => wholeSentence(text, i18n.language));
  const plain = saying("information");
  const dangers = saying("danger");
  const warnings = [
    ...(lost.length > 0
      ? [
          t("warning.relative", {
            paths: formatList(
              lost.map((one) => `“${visibleLine(one)}”`),
              i18n.language,
            ),
          }),
        ]
      : []),
    ...(secretArguments.length > 1 ? [t("warning.secret_arguments", { numbers: formatList(secretArguments, i18n.language) })] : []),
    ...saying("warning"),
    ...(shellWords.length > 0 ? [t("warning.shell_words", { words: visibleLine(shellWords.join(" ")) })] : []),
  ];
  return (
    <div className="-mt-1.5 overflow-hidden rounded-m border border-line bg-sunken">
      {/* Above content that may be long, so that a warning is visible without scrolling. */}
      {dangers.length + warnings.length + plain.length > 0 && (
        <ul aria-label={t("warning.label")} className="m-0 flex list-none flex-col gap-1.5 border-b border-line px-3 py-2.5">
          {dangers.map((danger) => (
            <Note key={danger} icon={OctagonAlert} colour="text-bad" text={danger} dangerous />
          ))}
          {warnings.map((warning, index) => (
            <Note key={index} icon={TriangleAlert} colour="text-warn" text={warning} />
          ))}
          {plain.map((text) => (
            <Note key={text} icon={Info} colour="text-info" text={text} />
          ))}
        </ul>
      )}
      <dl className="m-0 grid grid-cols-[84px_minmax(0,1fr)] gap-x-3 gap-y-1 px-3 py-2.5">
        <dt className="text-fg-3">{t("preview.program")}</dt>
        <dd className="m-0 min-w-0">
          <span className="mono wrap-any">
            <UntrustedText text={program} />
          </span>
          {check && (
            <Found program={program} check={check} path={path} onMeant={(meant) => onChange(withProgram(commandLine, program, meant))} />
          )}
        </dd>
        {args.map((arg, index) => (
          <Line key={index} name={index === 0 ? t("preview.arguments") : ""} text={hideUserInfo(arg)} />
        ))}
        {Object.entries(env).map(([name, value], index) => (
          <Line
            key={name}
            name={index === 0 ? t("preview.variables") : ""}
            text={`${name}=${looksSecret(name, value) ? "•".repeat(8) : value}`}
            sealed={looksSecret(name, value)}
          />
        ))}
      </dl>
    </div>
  );
}

function Note({ icon, colour, text, dangerous = false }: { icon: LucideIcon; colour: string; text: string; dangerous?: boolean }) {
  return (
    <li className={cx("flex gap-2", dangerous ? "font-medium text-bad" : "text-fg-2")}>
      <Icon of={icon} className={cx("mt-0.75 shrink-0", colour)} />
      <span className="min-w-0 wrap-any">{text}</span>
    </li>
  );
}

function Line({ name, text, sealed = false }: { name: string; text: string; sealed?: boolean }) {
  const { t } = useTranslation("servers");
  return (
    <>
      <dt className="text-fg-3">{name}</dt>
      <dd className="mono m-0 min-w-0 whitespace-pre-wrap wrap-any">
        {text === "" ? <span className="text-fg-3">{t("preview.empty")}</span> : <UntrustedText text={text} />}
        {sealed && <span className="font-ui text-sm text-fg-3"> {t("secret.onLine")}</span>}
      </dd>
    </>
  );
}

function Found({
  program,
  check,
  path,
  onMeant,
}: {
  program: string;
  check: CommandCheck;
  path: string | null;
  /** Called if another program was meant. */
  onMeant: (program: string) => void;
}) {
  const { t, i18n } = useTranslation("servers");
  if (check.path !== null) {
    return (
      <span className="flex min-w-0 gap-1.5 text-ok">
        <Icon of={CircleCheck} className="mt-0.75 shrink-0" />
        <span className="min-w-0 wrap-any">
          {t("preview.found")}{" "}
          <span className="mono">
            <UntrustedText text={check.path} />
          </span>
        </span>
      </span>
    );
  }
  // Only a bare name is searched for. If a file isn't executable, the host reports its path.
  const nowhere = !/[/\\]/.test(program) && check.problem?.params.path === undefined;
  return (
    <span className="block">
      <span className="flex min-w-0 gap-1.5 text-bad">
        <Icon of={CircleX} className="mt-0.75 shrink-0" />
        <span className="min-w-0 wrap-any">
          {nowhere || check.problem === null
            ? t("preview.notFound", { count: check.searched.length })
            : wholeSentence(check.problem, i18n.language)}
        </span>
      </span>
      {nowhere && <Meant program={program} path={path} onMeant={onMeant} />}
      {nowhere && check.searched.length > 0 && (
        <Fold title={t("preview.where")}>
          <pre className="m-0 max-h-32 overflow-auto text-fg-2">{check.searched.join("\n")}</pre>
        </Fold>
      )}
    </span>
  );
}

/** An existing program with a similar name. */
function Meant({ program, path, onMeant }: { program: string; path: string | null; onMeant: (program: string) => void }) {
  const { t } = useTranslation("servers");
  const meant = meantProgram(program);
  const { data } = useQuery({ ...commandCheck(meant ?? "", path), enabled: meant !== null });
  if (meant === null || data?.path == null) return null;
  return (
    <span className="mt-1 flex flex-wrap items-center gap-2 font-ui">
      {t("preview.meant", { name: meant })}
      <Button onClick={() => onMeant(meant)}>{t("preview.useMeant", { name: meant })}</Button>
    </span>
  );
}
