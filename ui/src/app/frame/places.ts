// The places of the rail, in order, with their keys.
import { Activity, AppWindow, FlaskConical, Inbox, KeyRound, Scale, Server, Settings, Shield, Sparkles } from "lucide-react";

export const places = [
  { to: "/inbox", name: "inbox", icon: Inbox, keys: "1" },
  { to: "/servers", name: "servers", icon: Server, keys: "2" },
  { to: "/apps", name: "apps", icon: AppWindow, keys: "3" },
  { to: "/workbench", name: "workbench", icon: FlaskConical, keys: "4" },
  { to: "/activity", name: "activity", icon: Activity, keys: "5" },
  { to: "/accounts", name: "accounts", icon: KeyRound, keys: "6" },
  { to: "/models", name: "models", icon: Sparkles, keys: "7" },
  { to: "/policies", name: "policies", icon: Scale, keys: "8" },
  { to: "/safety", name: "safety", icon: Shield, keys: "0" },
  { to: "/settings", name: "settings", icon: Settings, keys: "9" },
] as const;
