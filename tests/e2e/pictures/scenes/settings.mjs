// Settings, apart from policies and folders, which have files of their own.

export const screen = "Settings";

const at = "/settings";

/** Sets a limit. */
const limit = (name, text) => async (visitor) => {
  await visitor.fill(new RegExp(`^${visitor.t(`settings:limits.${name}.label`)}`), text);
  await visitor.press("Enter");
};

export const scenes = {
  settings: { at },
  "settings-limits-refused": {
    at,
    act: async (visitor) => {
      for (const name of ["maxMessageMiB", "startTimeoutSeconds", "requestTotalSeconds"]) await limit(name, "0")(visitor);
    },
  },
  "settings-document-wrong": {
    at,
    act: async (visitor) => {
      await visitor.fill(visitor.t("settings:signIn.label"), "http://x");
      await visitor.press("Enter");
    },
  },
  "settings-fixed": { at, act: (visitor) => visitor.scroll(1_700) },
  "settings-end": { at, act: (visitor) => visitor.scroll() },
  "settings-shell-slow": { scene: "long", at, act: (visitor) => visitor.scroll(1_900) },
  "settings-language-open": {
    at,
    act: (visitor) => visitor.clickNamed("combobox", new RegExp(`^${visitor.t("settings:appearance.language")}`)),
  },
  "settings-unread": { scene: "failed_get_settings", at },
};
