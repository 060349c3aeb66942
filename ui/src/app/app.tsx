import { type QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { TooltipProvider } from "@/components/tooltip";
import { IpcError } from "@/ipc/bridge";
import { appInfo } from "@/ipc/queries";
import { Preferences } from "./preferences";
import type { makeRouter } from "./router";
import { StartupFailure, startupCodes } from "./startup-failure";

/** The whole window: the screens, or the reason there can be none. */
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
  const { error, refetch, isFetching } = useQuery(appInfo());
  const failure = error ? IpcError.from(error) : null;
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
