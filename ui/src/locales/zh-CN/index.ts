// The Chinese texts, loaded only when Chinese is chosen.
import zhAccounts from "./accounts.json";
import zhActivity from "./activity.json";
import zhCommon from "./common.json";
import zhForm from "./form.json";
import zhInbox from "./inbox.json";
import zhPalette from "./palette.json";
import zhServers from "./servers.json";
import zhModels from "./models.json";
import zhPolicies from "./policies.json";
import zhRoots from "./roots.json";
import zhTrust from "./trust.json";
import zhSettings from "./settings.json";
import zhSignIn from "./sign-in.json";
import zhVault from "./vault.json";
import zhWorkbench from "./workbench.json";

export { default as sentences } from "./sentences.json";

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
};
