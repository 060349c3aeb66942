// Folders that servers may access: those for all servers under Settings, and those of a server in its details.

import { shows } from "../demo.mjs";

export const screen = "Folders";

const shared = "/settings?section=folders";
const local = "/servers?id=1&tab=roots";
const remote = "/servers?id=2&tab=roots";

/** Types a folder's path into a field, and confirms it. */
const enter = (field, path) => async (visitor) => {
  await visitor.fillCss(field, path);
  await visitor.press("Enter");
};

const own = "input[placeholder^='/home/me']";

export const scenes = {
  "folders-shared": { at: shared },
  "folders-shared-none": { scene: "no_roots", at: shared },
  "folders-shared-unusable": { scene: "unusable_roots", at: shared },
  "folders-shared-unread": { scene: "failed_list_roots", at: shared },
  "folders-shared-being-named": { at: shared, act: (visitor) => visitor.clickCss("#folders li button", 0) },
  "folders-shared-removed": { at: shared, act: (visitor) => visitor.clickCss("#folders li button", 1) },
  "folders-shared-too-wide": { at: shared, act: enter("#folders input", "/home") },
  "folders-shared-not-whole": { at: shared, act: enter("#folders input", "projects") },
  "folders-shared-gone": { at: shared, act: enter("#folders input", "/srv/gone") },
  "folders-of-server": { at: local },
  "folders-of-server-end": { at: local, act: (visitor) => visitor.scrollPane() },
  "folders-of-server-none": { scene: "no_roots", at: local },
  "folders-of-server-none-remote": { scene: "no_roots", at: remote },
  "folders-of-server-unusable": { scene: "unusable_roots", at: local },
  "folders-of-server-kept-back": { scene: "roots_kept", at: local, act: (visitor) => visitor.scrollPane() },
  "folders-of-server-undecided": { at: remote },
  "folders-of-server-only-shared": { scene: "shared_only", at: local },
  "folders-of-server-only-own": { scene: "own_only", at: local },
  "folders-of-server-long-names": { scene: "long", at: local },
  "folders-of-server-unread": { scene: "failed_server_roots", at: local },
  "folders-of-server-too-wide": { at: local, act: enter(own, "/home/ana") },
  "folders-of-server-wide-picked": { scene: "roots_wide", at: local, act: (visitor) => visitor.click("button", "roots:add.pick") },
  "folders-of-server-gone": { at: local, act: enter(own, "/srv/gone") },
};

export const inWindow = { "server-roots": shows("/servers?id=DEMO&tab=roots", "roots:own.title") };
