import { useNavigate } from "@tanstack/react-router";
import { CircleCheck, CornerUpLeft } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import { Quoted } from "@/components/their-voice";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import { enterScreen } from "@/lib/enter-screen";
import { useShortcut } from "@/lib/shortcuts";
import { callOf } from "./call-of";

/** After an answer: a link to the waiting call in the Workbench, and to its result. */
export function BackToCall({ view }: { view: InteractionView }) {
  const { t } = useTranslation("inbox");
  const navigate = useNavigate();
  const call = callOf(view);
  const back = () => void (call !== null && navigate({ to: "/workbench", search: call }).then(enterScreen));
  useShortcut("b", back, { enabled: call !== null });
  if (call === null) return null;
  return (
    <div role="status" className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line bg-ok-soft px-4 py-1.5">
      <Icon of={CircleCheck} className="shrink-0 text-ok" />
      <span className="min-w-40 flex-1 wrap-any">
        {t("back.text")} {view.occasion.subject !== null && <Quoted text={view.occasion.subject} />}
      </span>
      <Button icon={CornerUpLeft} keys="b" onClick={back}>
        {t("back.do")}
      </Button>
    </div>
  );
}
