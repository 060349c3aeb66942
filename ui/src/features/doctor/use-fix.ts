import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Fix } from "@/ipc/bindings/Fix";
import { enterScreen } from "@/lib/enter-screen";
import { showOverlay } from "@/lib/overlays";
import { useCommand } from "@/lib/use-command";

/** What the button of a failed check says and does. `server` is the one that is checked. */
export function useFix(server: number | null) {
  const { t } = useTranslation("doctor");
  const navigate = useNavigate();
  const { run } = useCommand();
  const label = (fix: Fix) => (fix.kind === "install_program" ? t("fix.install_program", { package: fix.package }) : t(`fix.${fix.kind}`));
  const act = (fix: Fix) => {
    if (fix.kind === "open_vault") return showOverlay("vault");
    if (fix.kind === "open_data_folder") return void run("open_data_folder", {});
    if (fix.kind === "restart_server" && server !== null) return void run("restart_server", { id: server });
    showOverlay(null);
    switch (fix.kind) {
      case "open_network_settings":
        return void navigate({ to: "/settings", search: { section: "network" } }).then(enterScreen);
      case "open_log_settings":
        return void navigate({ to: "/settings", search: { section: "log" } }).then(enterScreen);
      case "open_app":
        return void navigate({ to: "/apps", search: { id: fix.app, open: true } }).then(enterScreen);
      case "open_server":
        return void navigate({ to: "/servers", search: { id: fix.server } });
      default:
        if (server === null) return;
        void navigate({ to: "/servers", search: { id: server, ...tabs[fix.kind] } });
    }
  };
  return { label, act };
}

/** Where the other fixes lead. The overview of a failed server has the button that installs a program. */
const tabs = {
  edit_server: { tab: "settings" },
  review_server: { tab: "trust", review: true },
  sign_in: { tab: "sign_in" },
  restart_server: { tab: "overview" },
  install_program: { tab: "overview" },
} as const;
