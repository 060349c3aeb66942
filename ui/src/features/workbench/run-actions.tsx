import { Play, Square } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { SegmentedControl } from "@/components/toggles";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { useShortcut } from "@/lib/shortcuts";
import { useSession } from "./session";

/** The actions of the bar: form or JSON, cancel while something runs, run. */
export function RunActions({ server, tool }: { server: ServerView; tool: ToolView }) {
  const { t } = useTranslation(["workbench", "common"]);
  const session = useSession(server, tool);
  const { running, mode, setMode, root, connected } = session;
  useShortcut("mod+enter", () => session.run(), { enabled: connected });
  useShortcut("mod+.", session.cancel, { enabled: running !== undefined });
  return (
    <>
      <SegmentedControl
        label={t("mode.label")}
        value={mode}
        options={[{ value: "form", label: t("mode.form"), disabled: root === null }, { value: "json", label: "JSON" }]}
        onChange={setMode}
      />
      {running !== undefined && (
        <Button icon={Square} keys="mod+." disabled={running.state === "cancelling"} onClick={session.cancel}>{t("common:cancel")}</Button>
      )}
      <Button look="primary" icon={Play} keys="mod+enter" busy={running !== undefined} disabled={!connected} onClick={() => session.run()}>{t("run.run")}</Button>
    </>
  );
}
