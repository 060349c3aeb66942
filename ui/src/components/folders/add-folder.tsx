import { FolderOpen } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Field } from "@/components/field";
import { Input } from "@/components/input";
import type { IpcError } from "@/ipc/bridge";
import { errorText } from "@/lib/error-text";
import { type Run, useCommand } from "@/lib/use-command";
import { WideFolderDialog } from "./wide-folder-dialog";

/** Grants a folder, typed or chosen in a dialog. A very wide one needs a second confirmation. */
export function AddFolder({ server }: { /** Null for every server. */ server: number | null }) {
  const { t } = useTranslation("roots");
  const [path, setPath] = useState("");
  const adding = useCommand({ failure: "shown" });
  const picking = useCommand({ failure: "shown" });
  const [refused, setRefused] = useState<string | null>(null);
  const [wide, setWide] = useState<{ entered: string; real: string } | null>(null);

  const grant = (run: Run, folder: string, twice: boolean) => {
    const failed = (error: IpcError) => {
      if (twice || error.code !== "root_too_wide") return setRefused(errorText(error));
      // The real path, because the entered one may contain a link.
      const { path: real } = error.said.params;
      setWide({ entered: folder, real: typeof real === "string" ? real : folder });
    };
    return run("add_root", { server, path: folder, name: null, wide: twice }, { done: () => setPath(""), failed });
  };
  const pick = async () => {
    setRefused(null);
    const folder = await picking.run("pick_folder", {}, { failed: (error) => setRefused(errorText(error)) });
    if (folder != null) await grant(picking.run, folder, false);
  };
  const add = (folder: string, twice: boolean) => {
    setRefused(null);
    void grant(adding.run, folder, twice);
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (path.trim() !== "") add(path.trim(), false);
      }}
    >
      <Field label={t("add.label")} hint={t("add.hint")} error={refused}>
        {(wiring) => (
          <div className="flex flex-wrap gap-1.5">
            <Input
              {...wiring}
              code
              placeholder="/home/me/projects/lamps"
              value={path}
              onChange={(event) => {
                setPath(event.target.value);
                setRefused(null);
              }}
              className="w-auto! flex-1 basis-40"
            />
            <Button type="submit" busy={adding.busy} disabled={path.trim() === ""}>
              {t("add.submit")}
            </Button>
            <Button icon={FolderOpen} busy={picking.busy} onClick={() => void pick()}>
              {t("add.pick")}
            </Button>
          </div>
        )}
      </Field>
      {wide !== null && (
        <WideFolderDialog
          path={wide.real}
          every={server === null}
          onGrant={() => {
            setWide(null);
            add(wide.entered, true);
          }}
          onClose={() => setWide(null)}
        />
      )}
    </form>
  );
}
