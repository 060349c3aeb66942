// Addresses of the window. The only module that knows several features.
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type RouterHistory,
} from "@tanstack/react-router";
import { accountsSearch } from "@/features/accounts/search";
import { activitySearch } from "@/features/activity/search";
import { appsSearch } from "@/features/apps/search";
import { decisionsSearch } from "@/features/inbox/decisions/search";
import { inboxSearch } from "@/features/inbox/search";
import { policiesSearch } from "@/features/policies/search";
import { serversSearch } from "@/features/servers/search";
import { ServersScreen } from "@/features/servers/servers-screen";
import { settingsSearch } from "@/features/settings/search";
import { workbenchSearch } from "@/features/workbench/search";
import { Frame } from "./frame/frame";
import { ScreenError } from "./frame/screen-error";

const root = createRootRoute({ component: Frame });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/servers" });
  },
});

const inboxRoute = createRoute({
  getParentRoute: () => root,
  path: "/inbox",
  validateSearch: inboxSearch,
  component: lazyRouteComponent(() => import("@/features/inbox/inbox-screen"), "InboxScreen"),
});

const decisionsRoute = createRoute({
  getParentRoute: () => root,
  path: "/inbox/decisions",
  validateSearch: decisionsSearch,
  component: lazyRouteComponent(() => import("@/features/inbox/decisions/decisions-screen"), "DecisionsScreen"),
});

const serversRoute = createRoute({
  getParentRoute: () => root,
  path: "/servers",
  validateSearch: serversSearch,
  // Every start shows it first.
  component: ServersScreen,
});

const reviewRoute = createRoute({
  getParentRoute: () => root,
  path: "/review",
  component: lazyRouteComponent(() => import("@/features/servers/review/review-screen"), "ReviewScreen"),
});

const appsRoute = createRoute({
  getParentRoute: () => root,
  path: "/apps",
  validateSearch: appsSearch,
  component: lazyRouteComponent(() => import("@/features/apps/apps-screen"), "AppsScreen"),
});

const workbenchRoute = createRoute({
  getParentRoute: () => root,
  path: "/workbench",
  validateSearch: workbenchSearch,
  component: lazyRouteComponent(() => import("@/features/workbench/workbench-screen"), "WorkbenchScreen"),
});

const activityRoute = createRoute({
  getParentRoute: () => root,
  path: "/activity",
  validateSearch: activitySearch,
  component: lazyRouteComponent(() => import("@/features/activity/activity-screen"), "ActivityScreen"),
});

const accountsRoute = createRoute({
  getParentRoute: () => root,
  path: "/accounts",
  validateSearch: accountsSearch,
  component: lazyRouteComponent(() => import("@/features/accounts/accounts-screen"), "AccountsScreen"),
});

const modelsRoute = createRoute({
  getParentRoute: () => root,
  path: "/models",
  component: lazyRouteComponent(() => import("@/features/models/models-screen"), "ModelsScreen"),
});

const policiesRoute = createRoute({
  getParentRoute: () => root,
  path: "/policies",
  validateSearch: policiesSearch,
  component: lazyRouteComponent(() => import("@/features/policies/policies-screen"), "PoliciesScreen"),
});

const safetyRoute = createRoute({
  getParentRoute: () => root,
  path: "/safety",
  component: lazyRouteComponent(() => import("@/features/safety/safety-screen"), "SafetyScreen"),
});

const settingsRoute = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  validateSearch: settingsSearch,
  component: lazyRouteComponent(() => import("@/features/settings/settings-screen"), "SettingsScreen"),
});

/** A router over the window's hash, so that a reload comes back to the same place. */
export function makeRouter(history: RouterHistory = createHashHistory()) {
  return createRouter({
    routeTree: root.addChildren([
      home,
      inboxRoute,
      decisionsRoute,
      serversRoute,
      reviewRoute,
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
