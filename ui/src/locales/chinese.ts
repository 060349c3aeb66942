// The Chinese texts, loaded only when Chinese is chosen.
import zhAccounts from "./zh-CN/accounts.json";
import zhActivity from "./zh-CN/activity.json";
import zhApps from "./zh-CN/apps.json";
import zhCommon from "./zh-CN/common.json";
import zhForm from "./zh-CN/form.json";
import zhInbox from "./zh-CN/inbox.json";
import zhPalette from "./zh-CN/palette.json";
import zhServers from "./zh-CN/servers.json";
import zhModels from "./zh-CN/models.json";
import zhPolicies from "./zh-CN/policies.json";
import zhRoots from "./zh-CN/roots.json";
import zhSafety from "./zh-CN/safety.json";
import zhTrust from "./zh-CN/trust.json";
import zhSettings from "./zh-CN/settings.json";
import zhSignIn from "./zh-CN/sign-in.json";
import zhVault from "./zh-CN/vault.json";
import zhWorkbench from "./zh-CN/workbench.json";

export { default as sentences } from "./zh-CN/sentences.json";

export const namespaces = {
  common: zhCommon,
  servers: zhServers,
  settings: zhSettings,
  workbench: zhWorkbench,
  activity: zhActivity,
  accounts: zhAccounts,
  signIn: zhSignIn,
  vault: zhVault,
  form: zhForm,
  inbox: zhInbox,
  palette: zhPalette,
  roots: zhRoots,
  trust: zhTrust,
  policies: zhPolicies,
  models: zhModels,
  apps: zhApps,
  safety: zhSafety,
};
