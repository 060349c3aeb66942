import { useNavigate } from "@tanstack/react-router";
import { FileDiff, LockKeyhole, LogIn, type LucideIcon, PencilLine, SlidersHorizontal } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { showOverlay } from "@/lib/overlays";
import { type ShownState, shownState } from "@/lib/server-state";

const STEPS: { readonly [S in ShownState]?: { key: "unlock" | "signIn" | "review" | "enter" | "edit"; icon: LucideIcon } } = {
  locked: { key: "unlock", icon: LockKeyhole },
  sign_in_needed: { key: "signIn", icon: LogIn },
  changed: { key: "review", icon: FileDiff },
  value_missing: { key: "enter", icon: PencilLine },
  failed: { key: "edit", icon: SlidersHorizontal },
};

const TABS = { signIn: "sign_in", review: "trust", enter: "settings", edit: "settings" } as const;

/** The next step for a server that doesn't answer, as a button. Nothing if the server recovers by itself. */
export function NextStep({ server }: { server: ServerView }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const step = STEPS[shownState(server)];
  if (step === undefined) return null;
  const { key, icon } = step;
  return (
    <Button
      icon={icon}
      onClick={() => {
        if (key === "unlock") showOverlay("vault");
        else void navigate({ to: "/servers", search: { id: server.id, tab: TABS[key], ...(key === "review" && { review: true }) } });
      }}
    >
      {t(`goTo.${key}`)}
    </Button>
  );
}
