import { useMatch, useNavigate } from "@tanstack/react-router";

/** Opens a way to add a server from anywhere. On the Servers screen the selection stays. */
export function useAddServer(): (way: "command" | "url" | "import") => void {
  const navigate = useNavigate();
  const shown = useMatch({ from: "/servers", shouldThrow: false, select: (match) => match.search });
  return (way) => void navigate({ to: "/servers", search: { ...shown, add: way } });
}
