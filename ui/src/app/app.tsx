import { type QueryClient, QueryClientProvider, useQuery, useQueryClient } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useEffect } from "react";
import { TooltipProvider } from "@/components/tooltip";
import { IpcError } from "@/ipc/bridge";
import { watchHost } from "@/ipc/events";
import { appInfo } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";
import { toast } from "@/lib/toasts";
import { Preferences } from "./preferences";
import type { makeRouter } from "./router";
import { StartupFailure, startupCodes } from "./startup-failure";

/** The whole window: the screens, or the reason why they can't be shown. */
export function App({ client, router }: { client: QueryClient; router: ReturnType<typeof makeRouter> }) {
  return (
    <QueryClientProvider client={client}>
      <TooltipProvider delayDuration={400} skipDelayDuration={200}>
        <Opened router={router} />
      </TooltipProvider>
    </QueryClientProvider>
  );
}

function Opened({ router }: { router: ReturnType<typeof makeRouter> }) {
  const client = useQueryClient();
  const { data, error, refetch, isFetching } = useQuery(appInfo());
  const opened = data !== undefined;
  // Also runs if the first start failed and a retry succeeded.
  useEffect(() => {
    if (opened) watchHost(client).catch((thrown: unknown) => toast({ text: errorText(thrown), tone: "bad" }));
  }, [opened, client]);
  // Once the data was open, a failed read doesn't remove the screens.
  const failure = error && !opened ? IpcError.from(error) : null;
  if (failure && startupCodes.has(failure.code)) {
    return <StartupFailure failure={failure} busy={isFetching} onRetry={() => void refetch()} />;
  }
  return (
    <>
      <Preferences />
      <RouterProvider router={router} />
    </>
  );
}
