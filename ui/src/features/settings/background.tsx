import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Select } from "@/components/select";
import { Switch } from "@/components/toggles";
import type { Settings } from "@/ipc/bindings/Settings";
import type { WhenClosed } from "@/ipc/bindings/WhenClosed";
import { background } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";
import { useCommand } from "@/lib/use-command";
import { useSetting } from "@/lib/use-save-settings";
import { Box, Row, Section } from "./section";
import { Terminals } from "./terminals";
import { TextSetting } from "./text-setting";

const choices = ["ask", "keep_running", "quit"] as const satisfies readonly WhenClosed[];

/** Running without the window: closing it, the tray, starting at login, pausing every server. */
export function Background({ settings }: { settings: Settings }) {
  const { t } = useTranslation("settings");
  const { save, undo, error } = useSetting();
  const { data, error: unread } = useQuery(background());
  return (
    <Section id="background">
      <Box>
        <Row setting="whenClosed" undo={undo} problem={error && errorText(error)}>
          {(names) => (
            <Select
              {...names}
              value={settings.whenClosed}
              options={choices.map((value) => ({ value, label: t(`background.whenClosed.${value}`) }))}
              onChange={(whenClosed) => void save({ whenClosed })}
              className="w-52"
            />
          )}
        </Row>
        <Row setting="tray" problem={unread && errorText(unread)}>
          {data && <span>{t(data.tray ? "background.trayShown" : "background.noTray")}</span>}
        </Row>
      </Box>
      <Box>
        <TextSetting
          setting="appsPort"
          value={settings.appsPort === 0 ? "" : String(settings.appsPort)}
          placeholder={t("background.appsPortOff")}
          part={(text) => portOf(text) ?? t("background.appsPortBad")}
        />
        <Terminals />
      </Box>
      {data && (
        <Box>
          <StartAtLogin on={data.startsAtLogin} />
          <Pause paused={data.paused} />
        </Box>
      )}
    </Section>
  );
}

/** A port as a setting. An empty text turns it off. */
function portOf(text: string): { appsPort: number } | null {
  const port = text.trim() === "" ? 0 : Number(text);
  return Number.isInteger(port) && port >= 0 && port <= 65_535 ? { appsPort: port } : null;
}

function StartAtLogin({ on }: { on: boolean }) {
  const { run, busy, error } = useCommand({ failure: "shown" });
  return (
    <Row setting="startAtLogin" problem={error && errorText(error)}>
      {({ id }) => <Switch id={id} checked={on} disabled={busy} onChange={(next) => void run("set_start_at_login", { on: next })} />}
    </Row>
  );
}

function Pause({ paused }: { paused: boolean }) {
  const { t } = useTranslation("settings");
  const { run, busy, error } = useCommand({ failure: "shown" });
  return (
    <Row setting="pause" problem={error && errorText(error)}>
      <Button busy={busy} onClick={() => void run(paused ? "resume_servers" : "pause_servers", {})}>
        {t(paused ? "background.pause.resume" : "background.pause.now")}
      </Button>
    </Row>
  );
}
