// The places of the rail, in order, with their keys.
import { Activity, FlaskConical, KeyRound, Server, Settings } from "lucide-react";

export const places = [
  { to: "/servers", name: "servers", icon: Server, keys: "1" },
  { to: "/workbench", name: "workbench", icon: FlaskConical, keys: "2" },
  { to: "/activity", name: "activity", icon: Activity, keys: "3" },
  { to: "/accounts", name: "accounts", icon: KeyRound, keys: "4" },
  { to: "/settings", name: "settings", icon: Settings, keys: "5" },
] as const;
