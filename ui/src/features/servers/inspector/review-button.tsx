import { useNavigate } from "@tanstack/react-router";
import { FileDiff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";

/** A button that shows the changes of a server. */
export function ReviewButton({ server, look = "primary" }: { server: number; look?: "primary" | "default" }) {
  const { t } = useTranslation("trust");
  const navigate = useNavigate();
  const review = () =>
    void navigate({
      to: "/servers",
      search: (now) => ({ ...now, id: server, tab: "trust" as const, review: true as const }),
      replace: true,
    });
  return (
    <Button look={look} icon={FileDiff} onClick={review}>
      {t("banner.look")}
    </Button>
  );
}
