import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CodeBlock, CopyButton } from "@/components/code-block";
import { DialogBody, DialogFooter } from "@/components/dialog";
import { ErrorNotice } from "@/components/error-notice";
import type { ProfileView } from "@/ipc/bindings/ProfileView";
import { profileFile } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";

/** A profile as a file, to copy. */
export function ExportView({ profile, onDone }: { profile: ProfileView; onDone: () => void }) {
  const { t } = useTranslation("profiles");
  const { data, error } = useQuery(profileFile(profile.id));
  return (
    <>
      <DialogBody>
        <p className="mt-0 text-fg-2">{t("export.text")}</p>
        {error !== null && <ErrorNotice title={t("export.failed")} why={errorText(error)} />}
        {data !== undefined && <CodeBlock text={data} copy={false} />}
      </DialogBody>
      <DialogFooter>
        <span className="flex-1" />
        <Button onClick={onDone}>{t("form.back")}</Button>
        {data !== undefined && <CopyButton worded look="primary" text={data} label={t("export.copy")} />}
      </DialogFooter>
    </>
  );
}
