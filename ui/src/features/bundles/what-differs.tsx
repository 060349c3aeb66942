import { useTranslation } from "react-i18next";
import { Changes } from "@/components/changes";
import type { PinChange } from "@/ipc/bindings/PinChange";
import type { PinView } from "@/ipc/bindings/PinView";

/** How the definition of a server changes with another version of its bundle. */
export function WhatDiffers({ change, name }: { change: { readonly changes: PinChange[]; readonly unshown: number }; name: string }) {
  const { t } = useTranslation("bundles");
  if (change.changes.length === 0) return <p className="m-0 text-fg-2">{t("differs.nothing")}</p>;
  const pin: PinView = {
    kind: "server",
    name,
    state: "changed",
    hash: "",
    approvedAt: null,
    changes: change.changes,
    unshown: change.unshown,
    now: "{}",
    whole: null,
    hidden: [],
    forApps: null,
  };
  return (
    <section aria-label={t("differs.title")}>
      <h3 className="m-0 font-semibold">{t("differs.title")}</h3>
      <Changes server={name} pin={pin} caption={t("differs.caption")} />
    </section>
  );
}
