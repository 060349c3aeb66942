import { useNavigate } from "@tanstack/react-router";
import {
  Activity,
  Copy,
  FlaskConical,
  KeyRound,
  Moon,
  Pin,
  PinOff,
  Play,
  RefreshCw,
  SlidersHorizontal,
  Stethoscope,
  CircleStop,
  Trash2,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import type { MenuItem } from "@/components/menu";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { showDoctor } from "@/lib/overlays";
import { toast } from "@/lib/toasts";
import { answers, running, type ServerActions } from "../actions";
import type { ServerTab } from "../search";
import { togglePin, usePinned } from "@/lib/pinned-servers";
import { addressOf } from "@/lib/server-address";

/** The menu of a server, empty without one: on right click and behind the dots in the details. */
export function useServerMenu(server: ServerView | undefined, actions: ServerActions, onTab: (tab: ServerTab) => void): MenuItem[] {
  const { t } = useTranslation("servers");
  const navigate = useNavigate();
  const pinned = usePinned();
  if (server === undefined) return [];
  const up = running(server);
  const isPinned = pinned.includes(server.id);
  const copy = async () => {
    await navigator.clipboard.writeText(addressOf(server));
    toast({ text: t("menu.copied") });
  };
  return [
    { label: t("menu.workbench"), icon: FlaskConical, onSelect: () => void navigate({ to: "/workbench", search: { server: server.id } }) },
    { label: t(isPinned ? "menu.unpin" : "menu.pin"), icon: isPinned ? PinOff : Pin, onSelect: () => togglePin(server.id) },
    { label: t("menu.activity"), icon: Activity, onSelect: () => void navigate({ to: "/activity", search: { serverId: server.id } }) },
    "separator",
    ...(server.state === "asleep" ? [{ label: t("menu.startNow"), icon: Play, onSelect: () => void actions.start(server.id) }] : []),
    up
      ? { label: t("menu.stop"), icon: CircleStop, keys: "s", onSelect: () => void actions.stop(server.id) }
      : { label: t("menu.start"), icon: Play, keys: "s", onSelect: () => void actions.start(server.id) },
    ...(server.start === "on_use" && answers(server)
      ? [{ label: t("menu.letSleep"), icon: Moon, onSelect: () => void actions.letSleep(server) }]
      : []),
    { label: t("menu.restart"), icon: RefreshCw, keys: "r", onSelect: () => void actions.restart(server.id) },
    { label: t("menu.check"), icon: Stethoscope, onSelect: () => showDoctor(server.id) },
    ...(server.transport === "http" ? [{ label: t("menu.signIn"), icon: KeyRound, keys: "l", onSelect: () => onTab("sign_in") }] : []),
    { label: t("menu.edit"), icon: SlidersHorizontal, onSelect: () => onTab("settings") },
    { label: server.transport === "stdio" ? t("menu.copyCommand") : t("menu.copyUrl"), icon: Copy, onSelect: () => void copy() },
    "separator",
    { label: t("menu.remove"), icon: Trash2, keys: "backspace", danger: true, onSelect: () => void actions.remove(server) },
  ];
}
