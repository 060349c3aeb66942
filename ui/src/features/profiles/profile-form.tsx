import { useQuery } from "@tanstack/react-query";
import { FolderOpen } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { DialogBody, DialogFooter, DialogForm } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Field } from "@/components/field";
import { Input } from "@/components/input";
import type { HiddenItem } from "@/ipc/bindings/HiddenItem";
import type { ProfileServer } from "@/ipc/bindings/ProfileServer";
import type { ProfileView } from "@/ipc/bindings/ProfileView";
import { roots, servers } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { Choice } from "./choice";
import { HiddenItems } from "./hidden-items";

const toggled = <T,>(list: readonly T[], item: T, on: boolean) => (on ? [...list, item] : list.filter((other) => other !== item));

/** Edits a profile, or a new one. */
export function ProfileForm({ profile, onDone }: { profile: ProfileView | null; onDone: () => void }) {
  const { t } = useTranslation(["profiles", "common"]);
  const { data: saved = [] } = useQuery(servers());
  const { data: shared = [] } = useQuery(roots());
  const [name, setName] = useState(profile?.name ?? "");
  const [on, setOn] = useState<readonly number[]>(profile?.servers ?? []);
  const [hidden, setHidden] = useState<readonly HiddenItem[]>(profile?.hidden ?? []);
  const [folders, setFolders] = useState<readonly string[] | null>(profile?.folders ?? null);
  const [missing, setMissing] = useState<readonly ProfileServer[]>(profile?.missing ?? []);
  const [project, setProject] = useState(profile?.project ?? "");
  const saving = useCommand({ failure: "shown" });
  const picking = useCommand();
  const paths = [...new Set([...shared.map(({ path }) => path), ...(folders ?? [])])];

  const save = () => {
    const chosen = saved.filter(({ id }) => on.includes(id)).map(({ id, name: called }) => ({ server: id, name: called }));
    const content = {
      name,
      servers: [...chosen, ...missing],
      hidden: hidden.filter(({ server }) => on.includes(server)),
      folders: folders === null ? null : [...folders],
      project: project.trim() === "" ? null : project.trim(),
    };
    void saving.run("save_profile", { id: profile?.id ?? null, profile: content }, { done: onDone });
  };
  const pick = async () => {
    const folder = await picking.run("pick_folder", {});
    if (folder != null) setProject(folder);
  };

  return (
    <DialogForm onSubmit={save}>
      <DialogBody>
        <div className="flex flex-col gap-4">
          <Field label={t("form.name")}>
            {(wiring) => <Input {...wiring} value={name} onChange={(event) => setName(event.target.value)} />}
          </Field>
          <Group title={t("form.servers")} hint={saved.length === 0 ? t("form.noServers") : t("form.serversHint")}>
            <div className="grid grid-cols-2 gap-x-4 gap-y-1.5">
              {saved.map(({ id, name: called }) => (
                <Choice key={id} label={visibleLine(called)} checked={on.includes(id)} onChange={(is) => setOn(toggled(on, id, is))} />
              ))}
              {(profile?.missing ?? []).map((server) => (
                <Choice
                  key={`${server.server} ${server.name}`}
                  label={t("form.missing", { name: visibleLine(server.name) })}
                  checked={missing.includes(server)}
                  onChange={(is) => setMissing(toggled(missing, server, is))}
                />
              ))}
            </div>
          </Group>
          <HiddenItems items={hidden} servers={saved.filter(({ id }) => on.includes(id))} onChange={setHidden} />
          <Group title={t("form.folders")} hint={t("form.foldersHint")}>
            <Choice
              label={t("form.allFolders")}
              checked={folders === null}
              onChange={(is) => setFolders(is ? null : shared.map(({ path }) => path))}
            />
            {folders !== null &&
              paths.map((path) => (
                <Choice
                  key={path}
                  code
                  label={visibleLine(path)}
                  checked={folders.includes(path)}
                  onChange={(is) => setFolders(toggled(folders, path, is))}
                />
              ))}
          </Group>
          <Field label={t("form.project")} hint={t("form.projectHint")}>
            {(wiring) => (
              <div className="flex flex-wrap gap-1.5">
                <Input
                  {...wiring}
                  code
                  value={project}
                  placeholder="/home/me/projects/lamps"
                  onChange={(event) => setProject(event.target.value)}
                  className="w-auto! flex-1 basis-40"
                />
                <Button icon={FolderOpen} busy={picking.busy} onClick={() => void pick()}>
                  {t("form.pick")}
                </Button>
              </div>
            )}
          </Field>
          {saving.error !== null && <ErrorNotice answers title={t("form.failed")} {...errorWords(saving.error)} />}
        </div>
      </DialogBody>
      <DialogFooter>
        <span className="flex-1" />
        <Button onClick={onDone}>{t("cancel", { ns: "common" })}</Button>
        <Button type="submit" look="primary" busy={saving.busy} disabled={name.trim() === ""}>
          {t("form.save")}
        </Button>
      </DialogFooter>
    </DialogForm>
  );
}

function Group({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <fieldset className="m-0 flex min-w-0 flex-col gap-1.5 border-0 p-0">
      <legend className="mb-1 p-0 font-[560]">{title}</legend>
      {children}
      <p className="m-0 text-sm text-fg-3">{hint}</p>
    </fieldset>
  );
}
