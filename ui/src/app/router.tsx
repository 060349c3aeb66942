// The routes of the window. This is the only module that knows several features.
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type RouterHistory,
} from "@tanstack/react-router";
import { Activity, AppWindow, FlaskConical, Inbox, KeyRound, Scale, Server, Settings, Shield, Sparkles } from "lucide-react";
import { accountsSearch } from "@/features/accounts/search";
import { activitySearch } from "@/features/activity/search";
import { appsSearch } from "@/features/apps/search";
import { decisionsSearch } from "@/features/inbox/decisions/search";
import { inboxSearch } from "@/features/inbox/search";
import { policiesSearch } from "@/features/policies/search";
import { catalogSearch } from "@/features/servers/catalog/search";
import { serversSearch } from "@/features/servers/search";
import { ServersScreen } from "@/features/servers/servers-screen";
import { settingsSearch } from "@/features/settings/search";
import { workbenchSearch } from "@/features/workbench/search";
import { Frame } from "./frame/frame";
import { ScreenError } from "./frame/screen-error";

const root = createRootRoute({ staticData: { place: null }, component: Frame });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  staticData: { place: null },
  beforeLoad: () => {
    throw redirect({ to: "/servers" });
  },
});

const inboxRoute = createRoute({
  getParentRoute: () => root,
  path: "/inbox",
  staticData: { place: { name: "inbox", icon: Inbox, keys: "1" } },
  validateSearch: inboxSearch,
  component: lazyRouteComponent(() => import("@/features/inbox/inbox-screen"), "InboxScreen"),
});

const decisionsRoute = createRoute({
  getParentRoute: () => root,
  path: "/inbox/decisions",
  staticData: { place: null },
  validateSearch: decisionsSearch,
  component: lazyRouteComponent(() => import("@/features/inbox/decisions/decisions-screen"), "DecisionsScreen"),
});

const serversRoute = createRoute({
  getParentRoute: () => root,
  path: "/servers",
  staticData: { place: { name: "servers", icon: Server, keys: "2" } },
  validateSearch: serversSearch,
  // The first screen after every start.
  component: ServersScreen,
});

const reviewRoute = createRoute({
  getParentRoute: () => root,
  path: "/review",
  staticData: { place: null },
  component: lazyRouteComponent(() => import("@/features/servers/review/review-screen"), "ReviewScreen"),
});

const catalogRoute = createRoute({
  getParentRoute: () => root,
  path: "/catalog",
  staticData: { place: null },
  validateSearch: catalogSearch,
  component: lazyRouteComponent(() => import("@/features/servers/catalog/catalog-screen"), "CatalogScreen"),
});

const appsRoute = createRoute({
  getParentRoute: () => root,
  path: "/apps",
  staticData: { place: { name: "apps", icon: AppWindow, keys: "3" } },
  validateSearch: appsSearch,
  component: lazyRouteComponent(() => import("@/features/apps/apps-screen"), "AppsScreen"),
});

const workbenchRoute = createRoute({
  getParentRoute: () => root,
  path: "/workbench",
  staticData: { place: { name: "workbench", icon: FlaskConical, keys: "4" } },
  validateSearch: workbenchSearch,
  component: lazyRouteComponent(() => import("@/features/workbench/workbench-screen"), "WorkbenchScreen"),
});

const activityRoute = createRoute({
  getParentRoute: () => root,
  path: "/activity",
  staticData: { place: { name: "activity", icon: Activity, keys: "5" } },
  validateSearch: activitySearch,
  component: lazyRouteComponent(() => import("@/features/activity/activity-screen"), "ActivityScreen"),
});

const accountsRoute = createRoute({
  getParentRoute: () => root,
  path: "/accounts",
  staticData: { place: { name: "accounts", icon: KeyRound, keys: "6" } },
  validateSearch: accountsSearch,
  component: lazyRouteComponent(() => import("@/features/accounts/accounts-screen"), "AccountsScreen"),
});

const modelsRoute = createRoute({
  getParentRoute: () => root,
  path: "/models",
  staticData: { place: { name: "models", icon: Sparkles, keys: "7" } },
  component: lazyRouteComponent(() => import("@/features/models/models-screen"), "ModelsScreen"),
});

const policiesRoute = createRoute({
  getParentRoute: () => root,
  path: "/policies",
  staticData: { place: { name: "policies", icon: Scale, keys: "8" } },
  validateSearch: policiesSearch,
  component: lazyRouteComponent(() => import("@/features/policies/policies-screen"), "PoliciesScreen"),
});

const safetyRoute = createRoute({
  getParentRoute: () => root,
  path: "/safety",
  staticData: { place: { name: "safety", icon: Shield, keys: "0" } },
  component: lazyRouteComponent(() => import("@/features/safety/safety-screen"), "SafetyScreen"),
});

const settingsRoute = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  staticData: { place: { name: "settings", icon: Settings, keys: "9" } },
  validateSearch: settingsSearch,
  component: lazyRouteComponent(() => import("@/features/settings/settings-screen"), "SettingsScreen"),
});

/** A router that uses the URL's hash, so that a reload opens the same place. */
export function makeRouter(history: RouterHistory = createHashHistory()) {
  return createRouter({
    routeTree: root.addChildren([
      home,
      inboxRoute,
      decisionsRoute,
      serversRoute,
      reviewRoute,
      catalogRoute,
      appsRoute,
      workbenchRoute,
      activityRoute,
      accountsRoute,
      modelsRoute,
      policiesRoute,
      safetyRoute,
      settingsRoute,
    ]),
    history,
    defaultErrorComponent: ScreenError,
    defaultPreload: "intent",
    defaultPreloadDelay: 30,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
