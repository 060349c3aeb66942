import { Bookmark, BookOpen, CircleStop, type LucideIcon, MessageSquareText, Play, TriangleAlert } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { argumentsOf } from "@/components/form/draft";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { readHints, saysDestructive } from "@/lib/tool-claims";
import { useShortcut } from "@/lib/shortcuts";
import type { TextFieldSpec } from "./args/text-form";
import { argumentsText } from "./args/texts";
import type { Run } from "./runs";
import { SaveCallDialog } from "./saved/save-call-dialog";
import { useSession } from "./session";
import type { Kind, Target } from "./target";
import { useTextSession } from "./text-session";
import { SentPreview } from "./variables/sent-preview";
import { VariablesButton } from "./variables/variables-button";

interface Runnable {
  readonly running: Run | undefined;
  readonly connected: boolean;
  readonly run: () => void;
  readonly cancel: () => void;
}

const ICONS: Record<Kind, LucideIcon> = { tool: Play, resource: BookOpen, template: BookOpen, prompt: MessageSquareText };

/** Hides unusable shortcuts but reserves their space, so that nothing moves. */
const KEYS_WHILE_USABLE = "disabled:[&_kbd]:invisible";

/** Cancel while something runs, and the main action. Both have shortcuts that always work. */
function RunButtons({
  kind,
  session: { running, connected, run, cancel },
  dangerous = false,
  children,
}: {
  kind: Kind;
  session: Runnable;
  /** Whether the server claims that it may destroy something. */
  dangerous?: boolean;
  children?: ReactNode;
}) {
  const { t } = useTranslation("workbench");
  useShortcut("mod+enter", () => run(), { enabled: connected });
  useShortcut("mod+.", cancel, { enabled: running !== undefined });
  return (
    <>
      {children}
      {running !== undefined && (
        <Button icon={CircleStop} keys="mod+." disabled={running.state === "cancelling"} onClick={cancel}>
          {t("run.cancel")}
        </Button>
      )}
      <Button
        look={dangerous ? "primaryDanger" : "primary"}
        icon={dangerous ? TriangleAlert : ICONS[kind]}
        keys="mod+enter"
        busy={running !== undefined}
        disabled={!connected}
        data-run={dangerous ? undefined : true}
        className={KEYS_WHILE_USABLE}
        // A key held down was pressed elsewhere.
        onKeyDown={(event) => event.repeat && event.preventDefault()}
        onClick={() => run()}
      >
        {t(`run.do.${kind}`)}
      </Button>
    </>
  );
}

/** Below the last field: what is sent after variables are filled in, and a button for the variables. */
export function BelowFields({
  args,
  takes,
}: {
  /** The current arguments. Null if they are invalid. */
  args: string | null;
  /** Whether it has arguments. */
  takes: boolean;
}) {
  return (
    <>
      <SentPreview args={args} />
      {takes && (
        <div>
          <VariablesButton />
        </div>
      )}
    </>
  );
}

/** Below the fields of a template or prompt. */
export function BelowTexts({ server, target, fields }: { server: ServerView; target: Target; fields: readonly TextFieldSpec[] }) {
  const session = useTextSession(server, target, fields);
  const args = argumentsText(
    session.values,
    fields.map((field) => field.name),
  );
  return <BelowFields args={args} takes={fields.length > 0} />;
}

/** Saves the current arguments as a named call. */
function SaveButton({ server, target, args }: { server: ServerView; target: Target; args: string | null }) {
  const { t } = useTranslation("workbench");
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look="ghost" icon={Bookmark} disabled={args === null} onClick={() => setOpen(true)}>
        {t("saved.save")}
      </Button>
      {open && args !== null && <SaveCallDialog server={server} target={target} args={args} onClose={() => setOpen(false)} />}
    </>
  );
}

/** The actions of a tool: save, cancel, run. */
export function ToolActions({ server, tool }: { server: ServerView; tool: ToolView }) {
  const session = useSession(server, tool);
  return (
    <RunButtons kind="tool" session={session} dangerous={saysDestructive(readHints(tool.annotations))}>
      <SaveButton server={server} target={{ kind: "tool", name: tool.name }} args={argumentsOf(session.draft)} />
    </RunButtons>
  );
}

/** The actions of a resource, template or prompt: save, cancel, read or get. */
export function TextActions({ server, target, fields }: { server: ServerView; target: Target; fields: readonly TextFieldSpec[] }) {
  const session = useTextSession(server, target, fields);
  const args = argumentsText(
    session.values,
    fields.map((field) => field.name),
  );
  return (
    <RunButtons kind={target.kind} session={session}>
      <SaveButton server={server} target={target} args={args} />
    </RunButtons>
  );
}
