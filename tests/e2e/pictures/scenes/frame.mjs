// Parts outside of the screens: the palette, the shortcuts, and a window whose data cannot be opened.

import { address } from "../../person.mjs";
import { Key } from "../../webdriver.mjs";

export const screen = "Frame";

/** Opens the palette and types text. */
const palette =
  (text = "") =>
  async (visitor) => {
    await visitor.press("Control", "k");
    const box = await visitor.find("combobox");
    if (text !== "") await box.type(text);
    await visitor.rest();
  };

const startup = (scene) => ({ scene, at: "/servers", complaints: [/./] });

export const scenes = {
  palette: { at: "/servers", act: palette() },
  "palette-searching": { at: "/servers", act: palette("in") },
  "palette-search-activity": { at: "/servers", act: palette("zeppelin") },
  "palette-actions": {
    at: "/servers",
    act: async (visitor) => {
      await palette("github")(visitor);
      await visitor.press("ArrowRight");
      await visitor.rest();
    },
  },
  "palette-arguments": {
    at: "/servers",
    act: async (visitor) => {
      await palette("explain")(visitor);
      await visitor.press("ArrowRight");
      await visitor.press("Enter");
      await visitor.css("[role=dialog] form input");
    },
  },
  "palette-many-servers": { scene: "many", at: "/servers", act: palette("a") },
  shortcuts: {
    at: "/servers",
    act: async (visitor) => {
      await visitor.session.execute("document.activeElement?.blur()");
      await visitor.session.execute(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '?', shiftKey: true, bubbles: true }))",
      );
      await visitor.find("dialog");
    },
  },
  "first-steps": { scene: "empty", at: "/servers", act: (visitor) => visitor.clickBeginning("button", "servers:welcome.demo.title") },
  "first-steps-tool": {
    scene: "empty",
    at: "/servers",
    act: async (visitor) => {
      await visitor.clickBeginning("button", "servers:welcome.demo.title");
      // It is enabled once the server is ready.
      await visitor.css("[data-keep-clear] > button[data-keep-clear]:enabled");
      await visitor.click("button", "common:firstSteps.show");
      await visitor.css("[data-work] [data-field]");
      await visitor.rest(400);
    },
  },
  "first-close": { scene: "first_close", at: "/servers", act: (visitor) => visitor.find("dialog") },
  "first-close-no-tray": { scene: "first_close_no_tray", at: "/servers", act: (visitor) => visitor.find("dialog") },
  "startup-database-newer": startup("database_newer"),
  "startup-read-only": startup("read_only"),
  "startup-folder-of-others": startup("folder_of_others"),
  "startup-disk-full": startup("disk_full"),
  "startup-not-a-database": startup("not_a_database"),
  "startup-already-open": startup("already_open"),
  "startup-database-damaged": startup("database_damaged"),
  "startup-database-missing": startup("database_missing"),
  "startup-database-locked": startup("database_locked"),
  "startup-open-failed": startup("open_failed"),
};

export const inWindow = {
  palette: async ({ session }) => {
    await address(session, "/servers");
    await session.byRole("row", /^demo/i);
    await session.press(Key.Control, "k");
    await session.byRole("combobox");
  },
};
