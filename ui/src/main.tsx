// Starts the window: theme, density and language first, then the screens.
import "@/styles/app.css";
import { focusManager, QueryClient } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "@/app/app";
import { reportFirstPaint } from "@/app/first-paint";
import { makeRouter } from "@/app/router";
import { appInfo, servers, settings } from "@/ipc/queries";
import { startDensity } from "@/lib/density";
import { startLanguage } from "@/lib/i18n";
import { syncEndlessAnimations } from "@/lib/sync-animations";
import { startTheme } from "@/lib/theme";

startTheme();
startDensity();
syncEndlessAnimations(document);
const texts = startLanguage();

const client = new QueryClient({
  defaultOptions: {
    queries: { retry: false, refetchOnWindowFocus: false, refetchOnReconnect: false, networkMode: "always" },
    mutations: { networkMode: "always" },
  },
});

// A window behind another one is still visible, so coming back means focusing it.
focusManager.setEventListener((back) => {
  const comeBack = () => back();
  addEventListener("focus", comeBack);
  return () => removeEventListener("focus", comeBack);
});

// Load the data of the first screen before React draws it.
void client.prefetchQuery(servers());
void client.prefetchQuery(settings());
void client.prefetchQuery(appInfo());
const router = makeRouter();
void router.load();

const container = document.getElementById("root");
if (container) {
  await texts.catch(reportError); // in English then
  createRoot(container).render(
    <StrictMode>
      <App client={client} router={router} />
    </StrictMode>,
  );
  reportFirstPaint(container, client);
}
