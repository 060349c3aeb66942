// The places of the rail, in order, with their keys.
import { Activity, FlaskConical, Server, Settings } from "lucide-react";

export const places = [
  { to: "/servers", name: "servers", icon: Server, keys: "1" },
  { to: "/workbench", name: "workbench", icon: FlaskConical, keys: "2" },
  { to: "/activity", name: "activity", icon: Activity, keys: "3" },
  { to: "/settings", name: "settings", icon: Settings, keys: "4" },
] as const;
