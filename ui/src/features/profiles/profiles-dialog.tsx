import { Layers, Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog, DialogBody, DialogFooter } from "@/components/dialog";
import { EmptyState } from "@/components/empty-state";
import type { ProfileView } from "@/ipc/bindings/ProfileView";
import { showOverlay, useOverlay } from "@/lib/overlays";
import { useShortcut } from "@/lib/shortcuts";
import { undoNewest } from "@/lib/toasts";
import { ExportView } from "./export-view";
import { ImportForm } from "./import-form";
import { ProfileForm } from "./profile-form";
import { ProfileRow } from "./profile-row";
import { useProfiles } from "./use-profiles";

type View =
  { kind: "list" } | { kind: "edit"; profile: ProfileView | null } | { kind: "export"; profile: ProfileView } | { kind: "import" };

/** Everything about profiles, above any screen: the list, and a form for one of them. */
export function ProfilesDialog() {
  const open = useOverlay() === "profiles";
  return open ? <OpenDialog /> : null;
}

function OpenDialog() {
  const { t } = useTranslation("profiles");
  const [view, setView] = useState<View>({ kind: "list" });
  const back = () => setView({ kind: "list" });
  const title = {
    list: t("title"),
    edit: view.kind === "edit" && view.profile === null ? t("new") : t("edit"),
    export: t("export.title"),
    import: t("import.title"),
  }[view.kind];
  return (
    <Dialog
      open
      bare
      size="m"
      onOpenChange={() => showOverlay(null)}
      title={title}
      {...(view.kind === "list" ? { description: t("about") } : {})}
    >
      {view.kind === "list" && <List onView={setView} />}
      {view.kind === "edit" && <ProfileForm profile={view.profile} onDone={back} />}
      {view.kind === "export" && <ExportView profile={view.profile} onDone={back} />}
      {view.kind === "import" && <ImportForm onDone={back} />}
    </Dialog>
  );
}

function List({ onView }: { onView: (view: View) => void }) {
  const { t } = useTranslation("profiles");
  const { list, active, switchTo, remove } = useProfiles();
  // The list has no text field, so the key can work in this dialog.
  useShortcut("mod+z", undoNewest, { always: true });
  return (
    <>
      <DialogBody>
        {list.length === 0 ? (
          <EmptyState icon={Layers} title={t("none.title")} text={t("none.text")} />
        ) : (
          <ul aria-label={t("title")} className="m-0 flex list-none flex-col gap-1.5 p-0">
            <ProfileRow profile={null} isActive={active === undefined} onUse={() => void switchTo(null)} items={[]} />
            {list.map((profile) => (
              <ProfileRow
                key={profile.id}
                profile={profile}
                isActive={profile.isActive}
                onUse={() => void switchTo(profile.id)}
                items={[
                  { label: t("action.edit"), onSelect: () => onView({ kind: "edit", profile }) },
                  { label: t("action.export"), onSelect: () => onView({ kind: "export", profile }) },
                  "separator",
                  { label: t("action.remove"), danger: true, onSelect: () => void remove(profile) },
                ]}
              />
            ))}
          </ul>
        )}
      </DialogBody>
      <DialogFooter>
        <span className="flex-1" />
        <Button onClick={() => onView({ kind: "import" })}>{t("action.import")}</Button>
        <Button look="primary" icon={Plus} onClick={() => onView({ kind: "edit", profile: null })}>
          {t("new")}
        </Button>
      </DialogFooter>
    </>
  );
}
