import { useTranslation } from "react-i18next";
import { Dialog } from "@/components/dialog";
import { SegmentedControl } from "@/components/toggles";
import type { AddWay } from "../search";
import { AddMany } from "./add-many";
import { AddOne } from "./add-one";

/** Adding servers: by command, by address, or by pasting the configuration another application uses. */
export function AddDialog({ way, onWay, onAdded }: { way: AddWay | null; onWay: (way: AddWay | null) => void; onAdded: (id: number) => void }) {
  const { t } = useTranslation("servers");
  const shown = way ?? "command";
  const close = () => onWay(null);
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
        <AddMany onCancel={close} onAdded={onAdded} />
      ) : (
        <AddOne key={shown} transport={shown === "command" ? "stdio" : "http"} onWay={onWay} onCancel={close} onAdded={onAdded} />
      )}
    </Dialog>
  );
}
