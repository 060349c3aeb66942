import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Play, Plus, Server } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { call } from "@/ipc/bridge";
import { toast } from "@/lib/toasts";
import { errorText } from "@/lib/error-text";
import { rememberView } from "./selection";

/** No server yet: add one, or start the demo server to try everything on. */
export function NoServers() {
  const { t } = useTranslation("workbench");
  const navigate = useNavigate();
  const demo = useMutation({
    mutationFn: () => call("add_demo_server", {}),
    onSuccess: (server) => rememberView({ server: server.id, spot: undefined }),
    onError: (error) => toast({ tone: "bad", text: errorText(error) }),
  });
  return (
    <EmptyState icon={Server} title={t("noServers.title")} text={t("noServers.text")}>
      <Button look="primary" icon={Play} busy={demo.isPending} onClick={() => demo.mutate()}>
        {t("noServers.demo")}
      </Button>
      <Button icon={Plus} onClick={() => void navigate({ to: "/servers", search: { add: "command" } })}>
        {t("noServers.add")}
      </Button>
    </EmptyState>
  );
}
