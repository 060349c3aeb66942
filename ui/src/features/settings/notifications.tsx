import { useTranslation } from "react-i18next";
import { Select } from "@/components/select";
import { Switch } from "@/components/toggles";
import type { DecisionKind } from "@/ipc/bindings/DecisionKind";
import type { DoNotDisturb } from "@/ipc/bindings/DoNotDisturb";
import type { Settings } from "@/ipc/bindings/Settings";
import { isQuiet, quietChoices, quietUntil } from "@/lib/do-not-disturb";
import { errorText } from "@/lib/error-text";
import { formatMoment } from "@/lib/format";
import { questionKinds } from "@/lib/question-kinds";
import { useNow } from "@/lib/use-now";
import { useSetting } from "@/lib/use-save-settings";
import { Box, Row, Section } from "./section";

/** Which questions cause notifications, and until when they are turned off. */
export function Notifications({ settings }: { settings: Settings }) {
  return (
    <Section id="notifications">
      <Box>
        <Quiet value={settings.doNotDisturb} />
      </Box>
      <Box>
        {questionKinds.map((kind) => (
          <Kind key={kind} kind={kind} muted={settings.mutedKinds} />
        ))}
      </Box>
    </Section>
  );
}

function Quiet({ value }: { value: DoNotDisturb }) {
  const { t, i18n } = useTranslation("settings");
  const now = useNow(15_000);
  const { save, undo, error } = useSetting();
  const until = isQuiet(value, now) && typeof value === "object" ? value.until : null;
  const options = [
    ...quietChoices.map((choice) => ({ value: choice, label: t(`notifications.doNotDisturb.${choice}`) })),
    ...(until === null ? [] : [{ value: "until" as const, label: t("notifications.until", { at: formatMoment(until, i18n.language) }) }]),
  ];
  return (
    <Row setting="doNotDisturb" undo={undo} problem={error && errorText(error)}>
      {(names) => (
        <Select
          {...names}
          value={until !== null ? "until" : value === "always" ? "always" : "off"}
          options={options}
          onChange={(choice) => choice !== "until" && void save({ doNotDisturb: quietUntil(choice, Date.now()) })}
          className="w-52"
        />
      )}
    </Row>
  );
}

function Kind({ kind, muted }: { kind: DecisionKind; muted: readonly string[] }) {
  const { save, undo, error } = useSetting();
  const change = (on: boolean) => save({ mutedKinds: on ? muted.filter((other) => other !== kind) : [...muted, kind] });
  return (
    <Row setting={`notify_${kind}`} undo={undo} problem={error && errorText(error)}>
      {({ id }) => <Switch id={id} checked={!muted.includes(kind)} onChange={(on) => void change(on)} />}
    </Row>
  );
}
