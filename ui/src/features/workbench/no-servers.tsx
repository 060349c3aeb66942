import { useNavigate } from "@tanstack/react-router";
import { Play, Plus, Server } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { beginFirstSteps } from "@/lib/first-steps";
import { useCommand } from "@/lib/use-command";
import { rememberView } from "./selection";

/** Shown without servers: add one, or start the demo server. */
export function NoServers() {
  const { t } = useTranslation("workbench");
  const navigate = useNavigate();
  const { busy, run } = useCommand();
  const done = ({ id }: ServerView) => {
    rememberView({ server: id, spot: undefined });
    beginFirstSteps(id);
  };
  const start = () => void run("add_demo_server", {}, { done });
  return (
    <EmptyState icon={Server} title={t("noServers.title")} text={t("noServers.text")}>
      <Button look="primary" icon={Play} busy={busy} onClick={start}>
        {t("noServers.demo")}
      </Button>
      <Button icon={Plus} onClick={() => void navigate({ to: "/servers", search: { add: "command" } })}>
        {t("noServers.add")}
      </Button>
    </EmptyState>
  );
}
