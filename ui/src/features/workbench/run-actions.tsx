import { BookOpen, type LucideIcon, MessageSquareText, Play, CircleStop } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { SegmentedControl } from "@/components/toggles";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { useShortcut } from "@/lib/shortcuts";
import type { TextFieldSpec } from "./args/text-form";
import type { Run } from "./runs";
import { useSession } from "./session";
import type { Kind, Target } from "./target";
import { useTextSession } from "./text-session";

interface Runnable {
  readonly running: Run | undefined;
  readonly connected: boolean;
  readonly run: () => void;
  readonly cancel: () => void;
}

const ICONS: Record<Kind, LucideIcon> = { tool: Play, resource: BookOpen, template: BookOpen, prompt: MessageSquareText };

/** Cancel while something is under way, and the one thing to do; both by keyboard from everywhere. */
function RunButtons({
  kind,
  session: { running, connected, run, cancel },
  children,
}: {
  kind: Kind;
  session: Runnable;
  children?: ReactNode;
}) {
  const { t } = useTranslation(["workbench", "common"]);
  useShortcut("mod+enter", () => run(), { enabled: connected });
  useShortcut("mod+.", cancel, { enabled: running !== undefined });
  return (
    <>
      {children}
      {running !== undefined && (
        <Button icon={CircleStop} keys="mod+." disabled={running.state === "cancelling"} onClick={cancel}>
          {t("common:cancel")}
        </Button>
      )}
      <Button look="primary" icon={ICONS[kind]} keys="mod+enter" busy={running !== undefined} disabled={!connected} onClick={() => run()}>
        {t(`run.do.${kind}`)}
      </Button>
    </>
  );
}

/** The actions of a tool: form or JSON, cancel, run. */
export function ToolActions({ server, tool }: { server: ServerView; tool: ToolView }) {
  const { t } = useTranslation("workbench");
  const session = useSession(server, tool);
  const { mode, setMode, root } = session;
  return (
    <RunButtons kind="tool" session={session}>
      <SegmentedControl
        label={t("mode.label")}
        value={mode}
        options={[
          { value: "form", label: t("mode.form"), disabled: root === null },
          { value: "json", label: "JSON" },
        ]}
        onChange={setMode}
      />
    </RunButtons>
  );
}

/** The actions of a resource, template or prompt: cancel, read or get. */
export function TextActions({ server, target, fields }: { server: ServerView; target: Target; fields: readonly TextFieldSpec[] }) {
  return <RunButtons kind={target.kind} session={useTextSession(server, target, fields)} />;
}
