// Servers' questions in the Inbox: forms, URLs, tool calls, folders.

import { readFileSync } from "node:fs";

import { mooringOk } from "../../person.mjs";
import { asksBack } from "../demo.mjs";

export const screen = "Inbox: questions";

/** Waits until the approving button is enabled. */
const armed = (visitor) => visitor.css("footer button[data-armed=true]");

/** Waits until the approving button is enabled, then presses the button that starts with this text. */
const answer = (key) => async (visitor) => {
  await armed(visitor);
  await visitor.clickBeginning("button", key);
};

/** Chooses how long the answer is remembered, and scrolls it into view. */
const remember = (scope) => async (visitor) => {
  await visitor.click("radio", `inbox:remember.scope.${scope}`);
  await visitor.scroll();
};

const review = (visitor) => visitor.clickBeginning("button", "inbox:answer.review");

/** Fills in the required fields of the watch form, and reviews it. */
const reviewSignUp = async (visitor) => {
  const [, mail] = await visitor.session.allByRole("textbox");
  await mail.fill("ana@acme.test");
  await review(visitor);
};

/** Fills in the required fields of the long form and a secret, and reviews it. */
const reviewEveryField = async (visitor) => {
  await visitor.fill("Call sign", "AB123");
  await visitor.click("button", "form:field.yes");
  await visitor.clickNamed("radio", "Everything");
  await visitor.fillCss("[data-field] input", "sk-live-harbour-4411", -1);
  await review(visitor);
  await visitor.shows("inbox:review.reveal");
};

/** Presses a button that may be scrolled out of view. */
const press = (visitor, button) => visitor.session.execute("arguments[0].click()", button);

/** Adds an entry to the list of depths. */
const addDepth = async (visitor, index, depth) => {
  const within = await visitor.find("group", "Depths she needs");
  await press(visitor, await visitor.session.byRole("button", visitor.t("form:field.addItem"), { within }));
  await visitor.rest();
  const name = visitor.t("form:field.itemNumber").replace("{{number}}", String(index + 1));
  await (await visitor.session.byRole("textbox", name, { within })).fill(depth);
};

const mistakes = {
  "Call sign": "ab1",
  "E-mail": "nobody",
  "Web page": "harbour",
  "Day of arrival": "tomorrow",
  "Moment of arrival": "noon",
  "Draught in metres": "99",
  Crew: "1.5",
};

/** The kinds of questions. The scripted backend has an example of each, in the same order. */
const texts = JSON.parse(readFileSync(new URL("../../../../ui/src/locales/en/inbox.json", import.meta.url), "utf8"));
const kinds = Object.keys(texts.notify).map((kind, index) => [
  `kind-${kind.replaceAll("_", "-")}`,
  { scene: "inbox_kinds", at: `/inbox?id=${201 + index}` },
]);

export const scenes = {
  ...Object.fromEntries(kinds),
  "inbox-terminal": { scene: "inbox_terminal", at: "/inbox?id=95", list: true, act: armed },
  "inbox-terminal-unknown": { scene: "inbox_terminal", at: "/inbox?id=96" },
  form: { scene: "inbox", at: "/inbox?id=12" },
  "form-every-field": { scene: "inbox_form", at: "/inbox?id=21" },
  "form-every-field-middle": { scene: "inbox_form", at: "/inbox?id=21", act: (visitor) => visitor.scroll(520) },
  "form-every-field-end": { scene: "inbox_form", at: "/inbox?id=21", act: (visitor) => visitor.scroll() },
  "form-not-filled-in": { scene: "inbox_form", at: "/inbox?id=21", act: review },
  "form-filled-in-wrong": {
    scene: "inbox_form",
    at: "/inbox?id=21",
    act: async (visitor) => {
      for (const [name, text] of Object.entries(mistakes)) await visitor.fill(name, text);
      await visitor.press("Tab");
      await visitor.bring("[data-field]", 3);
    },
  },
  "form-pattern-not-met": {
    scene: "inbox_form",
    at: "/inbox?id=21",
    act: async (visitor) => {
      await visitor.fill("Call sign", "abcde");
      await visitor.press("Tab");
      await visitor.css("[data-field] [aria-invalid=true]");
    },
  },
  "form-review": { scene: "inbox", at: "/inbox?id=12", act: reviewSignUp },
  "form-review-secret": { scene: "inbox_form", at: "/inbox?id=21", act: reviewEveryField },
  "form-review-secret-shown": {
    scene: "inbox_form",
    at: "/inbox?id=21",
    act: async (visitor) => {
      await reviewEveryField(visitor);
      await visitor.click("button", "inbox:review.reveal");
    },
  },
  "form-refused-by-host": {
    scene: "inbox_refuses_invalid_answer",
    at: "/inbox?id=12",
    act: async (visitor) => {
      await reviewSignUp(visitor);
      await answer("inbox:answer.send")(visitor);
    },
  },
  "form-without-fields": { scene: "inbox_edges", at: "/inbox?id=82" },
  "form-rare-fields": { scene: "inbox_edges", at: "/inbox?id=83" },
  "form-beyond-a-form": { scene: "inbox_edges", at: "/inbox?id=83", act: (visitor) => visitor.scroll(330) },
  "form-rare-fields-end": {
    scene: "inbox_edges",
    at: "/inbox?id=83",
    act: async (visitor) => {
      await review(visitor);
      await visitor.scroll();
    },
  },
  "form-choice-open": { scene: "inbox_edges", at: "/inbox?id=83", act: (visitor) => visitor.clickNamed("combobox", null) },
  "form-wide-fields": { scene: "inbox_edges", at: "/inbox?id=90" },
  "form-wide-fields-middle": { scene: "inbox_edges", at: "/inbox?id=90", act: (visitor) => visitor.scroll(620) },
  "form-wide-fields-end": { scene: "inbox_edges", at: "/inbox?id=90", act: (visitor) => visitor.scroll() },
  "form-wide-fields-review": {
    scene: "inbox_edges",
    at: "/inbox?id=90",
    act: async (visitor) => {
      await visitor.fill("Ship", "Fair Wind");
      for (const name of ["Large", "East quay"]) await press(visitor, await visitor.find("radio", name));
      for (const [index, depth] of ["2.5", "3"].entries()) await addDepth(visitor, index, depth);
      const kind = await visitor.find("combobox", /Anything else/);
      await visitor.session.execute("arguments[0].focus()", kind);
      await visitor.press("Enter");
      await visitor.click("option", "form:kind.json");
      await (await visitor.find("textbox", /Anything else/)).fill('{"pets": 2}');
      await review(visitor);
      await visitor.shows("inbox:review.exact");
    },
  },
  "form-wide-fields-wrong": {
    scene: "inbox_edges",
    at: "/inbox?id=90",
    act: async (visitor) => {
      await addDepth(visitor, 0, "deep");
      await review(visitor);
      await visitor.bring("[data-field]", 6);
    },
  },
  "form-odd-texts": { scene: "inbox_odd", at: "/inbox?id=62" },

  address: { scene: "inbox_url", at: "/inbox?id=31" },
  "address-mixed-scripts": { scene: "inbox_url", at: "/inbox?id=32" },
  "address-blocked": { scene: "inbox_url", at: "/inbox?id=33" },
  "address-opened": { scene: "inbox_url", at: "/inbox?id=34" },
  "address-not-opened": { scene: "inbox_url", at: "/inbox?id=35" },
  "address-waits": { scene: "inbox_url", at: "/inbox?id=31", act: answer("inbox:answer.open") },
  "address-number": { scene: "inbox_edges", at: "/inbox?id=89" },

  tool: { scene: "inbox", at: "/inbox?id=11" },
  "tool-armed": { scene: "inbox", at: "/inbox?id=11", act: armed },
  "tool-whole-arguments": { scene: "inbox", at: "/inbox?id=11", act: (visitor) => visitor.clickCss("pre + button") },
  "tool-for-an-hour": { scene: "inbox", at: "/inbox?id=11", act: remember("hour") },
  "tool-for-the-session": { scene: "inbox", at: "/inbox?id=11", act: remember("session") },
  "tool-always": { scene: "inbox", at: "/inbox?id=11", act: remember("always") },
  "tool-read-only": { scene: "inbox_tool", at: "/inbox?id=25" },
  "tool-changed": { scene: "inbox_tool", at: "/inbox?id=26" },
  "tool-destructive": { scene: "inbox_tool", at: "/inbox?id=27" },
  "tool-destructive-armed": { scene: "inbox_tool", at: "/inbox?id=27", act: armed },
  "tool-unreviewed": { scene: "inbox_tool", at: "/inbox?id=28", act: armed },
  "tool-without-account": { scene: "inbox_edges", at: "/inbox?id=81" },
  "tool-odd-texts": { scene: "inbox_odd", at: "/inbox?id=61" },
  "tool-odd-texts-end": { scene: "inbox_odd", at: "/inbox?id=61", act: (visitor) => visitor.scroll() },
  "tool-being-answered": { scene: "inbox_slow", at: "/inbox?id=11", act: answer("inbox:answer.tool.once") },
  "tool-answered-too-early": { scene: "inbox_refuses_too_early", at: "/inbox?id=11", act: answer("inbox:answer.tool.once") },
  "tool-opened-anew": { scene: "inbox_refuses_wrong_nonce", at: "/inbox?id=11", act: answer("inbox:answer.tool.once") },
  "tool-answered-too-late": { scene: "inbox_refuses_not_waiting", at: "/inbox?id=11", act: answer("inbox:answer.decline") },
  "tool-answer-failed": { scene: "inbox_refuses_internal", at: "/inbox?id=11", act: answer("inbox:answer.tool.once") },
  "tool-remembered": {
    scene: "inbox",
    at: "/inbox?id=11",
    act: async (visitor) => {
      await remember("always")(visitor);
      await answer("inbox:answer.tool.always")(visitor);
    },
  },
  "tool-declined-next-comes": { scene: "inbox", at: "/inbox?id=11", act: answer("inbox:answer.decline") },

  "app-access": { scene: "inbox_apps", at: "/inbox?id=91", act: armed },
  "app-access-program-unknown": { scene: "inbox_apps", at: "/inbox?id=92" },
  "app-access-allowed": { scene: "inbox_apps", at: "/inbox?id=91", act: answer("inbox:answer.app.allow") },
  "tool-keyless": { scene: "inbox_apps", at: "/inbox?id=93" },
  "tool-keyless-remember": { scene: "inbox_apps", at: "/inbox?id=93", act: remember("hour") },

  "folders-asked": { scene: "inbox", at: "/inbox?id=14" },
  "folders-asked-from-afar": {
    scene: "inbox_edges",
    at: "/inbox?id=84",
    act: (visitor) => visitor.click("radio", "inbox:remember.scope.always"),
  },
};

export const inWindow = {
  "inbox-form": async (place) => asksBack(place, "register_ship", "inbox:kicker.form", "inbox:form.answers"),
  "inbox-url": async (place) => asksBack(place, "visit_page", "inbox:kicker.url", "inbox:url.address"),
  "inbox-folders": async (place) => {
    mooringOk(place.desktop, "roots", "add", place.desktop.directory);
    return asksBack(place, "list_folders", "inbox:kicker.roots", "inbox:remember.title");
  },
};
