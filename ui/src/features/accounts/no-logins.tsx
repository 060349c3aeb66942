import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { KeyRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { servers } from "@/ipc/queries";

/** Shown without accounts: what an account is, and how to add the first one. */
export function NoLogins() {
  const { t } = useTranslation("accounts");
  const navigate = useNavigate();
  const { data: list = [] } = useQuery(servers());
  const asking = list.filter((server) => server.state === "sign_in_needed");
  const [first] = asking;
  return (
    <EmptyState icon={KeyRound} title={t("empty.title")} text={first ? t("empty.asked", { count: asking.length }) : t("empty.text")}>
      {first ? (
        <Button look="primary" onClick={() => void navigate({ to: "/servers", search: { id: first.id, tab: "sign_in" } })}>
          {t("empty.show", { count: asking.length })}
        </Button>
      ) : list.some((server) => server.transport === "http") ? (
        <Button onClick={() => void navigate({ to: "/servers" })}>{t("empty.servers")}</Button>
      ) : (
        <Button look="primary" onClick={() => void navigate({ to: "/servers", search: { add: "url" } })}>
          {t("empty.add")}
        </Button>
      )}
    </EmptyState>
  );
}
