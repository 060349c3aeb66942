import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "@/components/dialog";
import { SegmentedControl } from "@/components/toggles";
import { type Given, setGiven, useGiven } from "@/lib/given";
import { useArmed } from "@/lib/use-armed";
import { type Draft, emptyDraft } from "../form/draft";
import { type AddWay, ways } from "../search";
import { AddMany } from "./add-many";
import { AddOne } from "./add-one";

/** The typed text of each way to add servers. */
interface Typed {
  readonly command: Draft;
  readonly url: Draft;
  readonly import: string;
}

const nothing: Typed = { command: emptyDraft("stdio"), url: emptyDraft("http"), import: "" };

/**
 * Adds servers: by command, by URL, or by pasting another application's configuration. The typed text stays if the
 * dialog is closed by accident. It is removed after adding, and by Cancel.
 */
export function AddDialog({
  way,
  onWay,
  onAdded,
}: {
  way: AddWay | null;
  onWay: (way: AddWay | null) => void;
  onAdded: (id: number) => void;
}) {
  const { t } = useTranslation("servers");
  const [typed, setTyped] = useState(nothing);
  const shown = way ?? "command";
  const [spent, setSpent] = useState<readonly AddWay[]>([]);
  // Reset forms only when they aren't visible any more.
  if (way === null && spent.length > 0) {
    setTyped({ ...typed, ...Object.fromEntries(spent.map((over) => [over, nothing[over]])) });
    setSpent([]);
  }
  // Something opened from outside replaces the typed text once.
  const given = useGiven();
  const [taken, setTaken] = useState<Given | null>(null);
  /** The last text that was opened from outside. */
  const [opened, setOpened] = useState<string | null>(null);
  if (given !== taken) {
    setTaken(given);
    if (given !== null) setOpened(given.text);
    if (given?.way === "url") setTyped((now) => ({ ...now, url: { ...nothing.url, url: given.text } }));
    if (given?.way === "import") setTyped((now) => ({ ...now, import: given.text }));
  }
  useEffect(() => {
    if (given !== null) setGiven(null);
  }, [given]);
  const armed = useArmed(opened ?? "", way === null ? null : 0);
  /** Whether what was opened from outside is too new for a press: a page could change it under the pointer. */
  const held = opened !== null && !armed && [typed.import, typed.url.url].includes(opened);
  const close = () => onWay(null);
  const cancel = () => {
    setSpent(ways);
    close();
  };
  const added = (id: number) => {
    setSpent([shown]);
    onAdded(id);
  };
  return (
    <Dialog open={way !== null} onOpenChange={(open) => !open && close()} title={t("add.title")} size="l" bare>
      <div className="px-5 pb-4">
        <SegmentedControl
          label={t("add.way")}
          value={shown}
          onChange={onWay}
          options={[
            { value: "command", label: t("add.command") },
            { value: "url", label: t("add.url") },
            { value: "import", label: t("add.import") },
          ]}
        />
      </div>
      {shown === "import" ? (
        <AddMany
          // What was opened from outside replaces the state.
          key={opened}
          text={typed.import}
          held={held}
          onText={(text) => setTyped((now) => ({ ...now, import: text }))}
          onCancel={cancel}
          onAdded={added}
          onNone={close}
        />
      ) : (
        <AddOne
          key={shown}
          draft={typed[shown]}
          held={held}
          onDraft={(draft) => setTyped((now) => ({ ...now, [shown]: draft }))}
          onElsewhere={(next, text) => {
            setTyped((now) => ({
              ...now,
              [shown]: nothing[shown],
              ...(next === "url" ? { url: { ...now.url, url: text.trim() } } : { import: text }),
            }));
            onWay(next);
          }}
          onCancel={cancel}
          onAdded={added}
        />
      )}
    </Dialog>
  );
}
