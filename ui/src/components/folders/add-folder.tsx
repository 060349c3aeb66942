import { useQueryClient } from "@tanstack/react-query";
import { FolderOpen } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Field } from "@/components/field";
import { Input } from "@/components/input";
import { call, IpcError } from "@/ipc/bridge";
import { roots } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";
import { WideFolderDialog } from "./wide-folder-dialog";

/** Grants a folder, typed or chosen with the system's picker. One that holds far more than a project takes a second yes. */
export function AddFolder({ server }: { /** None: for every server. */ server: number | null }) {
  const { t } = useTranslation("roots");
  const client = useQueryClient();
  const [path, setPath] = useState("");
  const [busy, setBusy] = useState<"pick" | "add" | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const [wide, setWide] = useState<{ entered: string; real: string } | null>(null);

  const attempt = async (what: "pick" | "add", work: () => Promise<void>) => {
    setBusy(what);
    setRefused(null);
    try {
      await work();
    } catch (error) {
      setRefused(errorText(error));
    } finally {
      setBusy(null);
    }
  };
  const grant = async (folder: string, twice: boolean) => {
    try {
      await call("add_root", { server, path: folder, name: null, wide: twice });
    } catch (error) {
      const { code, said } = IpcError.from(error);
      if (twice || code !== "root_too_wide") throw error;
      // Where it really is, which a link in what was entered may hide.
      const { path: real } = said.params;
      setWide({ entered: folder, real: typeof real === "string" ? real : folder });
      return;
    }
    setPath("");
    await client.invalidateQueries({ queryKey: roots().queryKey });
  };
  const pick = () =>
    attempt("pick", async () => {
      const folder = await call("pick_folder", {});
      if (folder !== null) await grant(folder, false);
    });

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (path.trim() !== "") void attempt("add", () => grant(path.trim(), false));
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
            <Button type="submit" busy={busy === "add"} disabled={path.trim() === ""}>
              {t("add.submit")}
            </Button>
            <Button icon={FolderOpen} busy={busy === "pick"} onClick={() => void pick()}>
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
            void attempt("add", () => grant(wide.entered, true));
          }}
          onClose={() => setWide(null)}
        />
      )}
    </form>
  );
}
