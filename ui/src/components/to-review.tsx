import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ShieldCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import { servers } from "@/ipc/queries";
import { waitingIn } from "@/lib/approvals";
import { enterScreen } from "@/lib/enter-screen";
import { Button } from "./button";

/** Opens the review, and shows how much is waiting. Hidden if nothing is. */
export function ToReview() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const count = waitingIn(useQuery(servers()).data ?? []);
  if (count === 0) return null;
  return (
    <Button icon={ShieldCheck} onClick={() => void navigate({ to: "/review" }).then(enterScreen)}>
      {/* On a narrow page only its icon is visible. */}
      <span className="max-[560px]:sr-only">{t("toReview", { count })}</span>
    </Button>
  );
}
