import { CircleX, type LucideIcon } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { ArmedButton } from "@/components/armed-button";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import { Kbd } from "@/components/kbd";
import { Tooltip } from "@/components/tooltip";
import { useKeysWithin } from "@/lib/answer-place";
import { cx } from "@/lib/cx";
import { KEEP_CLEAR } from "@/lib/clear-of";
import { oncePerPress } from "@/lib/second-press";
import { ariaKeys } from "@/lib/platform";
import { useShortcut } from "@/lib/shortcuts";
import type { Question } from "../use-question";
import { problemText } from "./problem-text";
import { RISK_NOTICE } from "./risk-notice";

interface Yes {
  label: string;
  icon: LucideIcon;
  onPress: () => void;
  /** Whether it is enabled at all. */
  enabled?: boolean;
  /** Whether it is dangerous, and looks so. */
  danger?: "bad" | "warn";
  /** It only continues and approves nothing, so it doesn't need the waiting second. */
  leads?: boolean;
  /** Declining is more prominent, and only pressing the button itself approves. */
  unsafe?: boolean;
}

/** The three answers to a question. Only a deliberate press approves, and none within the first second. */
export function AnswerBar({
  question,
  yes,
  further,
  note,
  entered = false,
  before,
  cancelLabel,
  cancelHint,
  declineLabel,
}: {
  question: Question;
  /** Null if there is nothing to approve. */
  yes: Yes | null;
  /** A second approval that goes further than the first. No key presses it. */
  further?: { label: ReactNode; onPress: () => void } | undefined;
  note?: ReactNode;
  /** Whether entered values are lost with the question. */
  entered?: boolean;
  /** Buttons before the answers. */
  before?: ReactNode;
  cancelLabel?: string;
  /** What cancelling does, if that differs from most questions. */
  cancelHint?: string;
  /** Null if declining would be the same as cancelling. */
  declineLabel?: string | null;
}) {
  const { t } = useTranslation(["inbox", "common"]);
  const { gone, onNext, over, answering, decline, cancel, together } = question;
  const forAll = (label: string) => (together.all ? t("together.answer", { answer: label, count: together.ids.length }) : label);
  const { busy, done, problem } = answering;
  const [isFurther, setFurther] = useState(false);
  const free = busy === null && !done;
  const said = problem !== null && (
    <p role="alert" className="m-0 mb-2.5 flex gap-2 text-bad">
      <Icon of={CircleX} className="mt-0.75 shrink-0" />
      <span className="selectable min-w-0 text-balance wrap-any">{problemText(problem, t)}</span>
    </p>
  );
  if (over && !done) {
    return (
      <footer {...KEEP_CLEAR} className="shrink-0 border-t border-line bg-surface px-5 py-3">
        {!gone && said}
        <div className="flex items-center gap-2">
          <span className="min-w-0 flex-1 text-sm text-balance text-fg-3">{entered && t("gone.entered")}</span>
          <Button onClick={onNext}>{t("gone.next")}</Button>
        </div>
      </footer>
    );
  }
  return (
    <footer {...KEEP_CLEAR} className="@container shrink-0 border-t border-line bg-surface px-5 py-3">
      {said}
      {/* On a narrow page the note or the second approval is above, and the answers stay side by side. */}
      <div className="flex flex-wrap items-center justify-end gap-2">
        {further !== undefined && (
          <span className="mr-auto flex min-w-0 basis-full @[700px]:max-w-72 @[700px]:basis-auto">
            <Button
              busy={busy === "accept" && isFurther}
              disabled={!free}
              arming={free && !answering.armed}
              title={answering.arming ? t("answer.arming") : undefined}
              onClick={oncePerPress(() => {
                setFurther(true);
                further.onPress();
              })}
              onKeyDown={notByEnter}
              className="min-w-0 shrink"
            >
              <span className="truncate">{further.label}</span>
            </Button>
          </span>
        )}
        {note !== undefined && <span className="min-w-0 grow basis-full text-sm text-balance text-fg-3 @[560px]:basis-0">{note}</span>}
        {before !== undefined && <span className="mr-auto @[560px]:order-first @[560px]:mr-0">{before}</span>}
        <Tooltip side="top" text={cancelHint ?? t("cancelling.request")}>
          <Button look="ghost" busy={busy === "cancel"} disabled={!free} onClick={oncePerPress(cancel)}>
            {forAll(cancelLabel ?? t("common:cancel"))}
          </Button>
        </Tooltip>
        {declineLabel !== null && (
          <Decline
            label={forAll(declineLabel ?? t("answer.decline"))}
            // Next to a dangerous approval, declining isn't highlighted.
            look={yes === null || yes.unsafe ? "primary" : yes.danger === undefined ? "danger" : "default"}
            busy={busy === "decline"}
            enabled={free}
            keysGo={further !== undefined ? "@max-[760px]:hidden" : before !== undefined && "@max-[460px]:hidden"}
            onPress={decline}
          />
        )}
        {yes !== null && (
          <Accept
            yes={{
              ...yes,
              label: forAll(yes.label),
              onPress: () => {
                setFurther(false);
                yes.onPress();
              },
            }}
            question={question}
            free={free}
            busy={busy === "accept" && !isFurther}
          />
        )}
      </div>
    </footer>
  );
}

function Decline({
  label,
  look,
  busy,
  enabled,
  keysGo,
  onPress,
}: {
  label: string;
  look: "primary" | "danger" | "default";
  busy: boolean;
  enabled: boolean;
  /** From which width on the shortcuts are hidden, because the bar has so many buttons. */
  keysGo: string | false;
  onPress: () => void;
}) {
  useShortcut("mod+backspace", onPress, { enabled, rests: true, within: useKeysWithin() });
  return (
    <Button look={look} busy={busy} disabled={!enabled} onClick={oncePerPress(onPress)} aria-keyshortcuts={ariaKeys("mod+backspace")}>
      {label}
      <Kbd keys="mod+backspace" bare={look === "primary"} className={cx("max-wide:hidden", keysGo)} />
    </Button>
  );
}

/** Enter alone approves nothing. */
const notByEnter = (event: KeyboardEvent) => {
  if (event.key === "Enter") event.preventDefault();
};

/** The button that approves. */
function Accept({ yes, question, free, busy }: { yes: Yes; question: Question; free: boolean; busy: boolean }) {
  const { t } = useTranslation("inbox");
  const { armed, arming } = question.answering;
  const { label, icon, onPress, enabled = true, danger, leads = false, unsafe = false } = yes;
  const ready = free && enabled && (leads || armed);
  useShortcut("mod+enter", onPress, { enabled: ready && !unsafe, within: useKeysWithin() });
  if (unsafe)
    return (
      <Button
        look="danger"
        icon={icon}
        busy={busy}
        disabled={!free || !enabled}
        arming={free && enabled && !armed}
        aria-describedby={RISK_NOTICE}
        onClick={oncePerPress(onPress)}
        onKeyDown={notByEnter}
      >
        {label}
      </Button>
    );
  return (
    <ArmedButton
      label={label}
      icon={icon}
      ready={ready}
      arming={!leads && enabled && free && arming}
      hint={t("answer.arming")}
      busy={busy}
      keys="mod+enter"
      danger={danger}
      describedBy={danger && RISK_NOTICE}
      onPress={onPress}
    />
  );
}
