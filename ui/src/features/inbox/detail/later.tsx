import { AlarmClock, ChevronDown } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import { Menu } from "@/components/menu";
import { useKeysWithin } from "@/lib/answer-place";
import { useShortcut } from "@/lib/shortcuts";
import { useCommand } from "@/lib/use-command";
import type { Question } from "../use-question";
import { useUntil } from "./until";

/** How long a question can be put off, in minutes, with the key. Null means until the application ends. */
const TIMES = [
  { name: "quarter", minutes: 15, keys: "z" },
  { name: "hour", minutes: 60, keys: "shift+z" },
  { name: "session", minutes: null, keys: undefined },
] as const;

/** Puts a question off, or brings it back. It stays open meanwhile. */
export function Later({ question: { view, over, onPutOff } }: { question: Question }) {
  const { t } = useTranslation("inbox");
  const { busy, run } = useCommand();
  const until = useUntil();
  const within = useKeysWithin();
  const { id, putOff } = view;
  // An opened URL doesn't ask any more.
  const possible = !over && !(view.question.kind === "url" && view.question.opened);
  const away = possible && putOff !== null;
  const put = (minutes: number | null) => void run("put_off_interaction", { id, minutes }, { done: onPutOff });
  const back = () => void run("bring_back_interaction", { id });
  useShortcut("z", () => (away ? back() : put(15)), { enabled: possible && !busy, within });
  useShortcut("shift+z", () => put(60), { enabled: possible && !busy, within });
  if (!possible) return null;
  if (putOff !== null)
    return (
      <>
        <span className="text-sm text-balance">{t("later.away", { until: until(putOff) })}</span>
        <Button icon={AlarmClock} keys="z" busy={busy} onClick={back}>
          {t("later.back")}
        </Button>
      </>
    );
  return (
    <Menu
      items={TIMES.map(({ name, minutes, keys }) => ({
        label: t(`later.${name}`),
        ...(keys !== undefined && { keys }),
        onSelect: () => put(minutes),
      }))}
    >
      <Button look="ghost" icon={AlarmClock} busy={busy} className="-my-1">
        {t("later.title")}
        <Icon of={ChevronDown} size={12} />
      </Button>
    </Menu>
  );
}
