// Signing in to third-party servers in the real window: with a keychain, with a locked one, and without any.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { violationsOf } from "./axe.mjs";
import { Canaries } from "./canaries.mjs";
import { pictures } from "./desktop.mjs";
import { address, clickRow, goTo, mooringOk, openTab, run, startsWith, toolIsOpen, withWindow, words } from "./person.mjs";
import { Browser, Keyring, withProtected } from "./protected.mjs";
import { Key, until } from "./webdriver.mjs";

const t = words("en");
const NAME = "Harbour";
const PASSPHRASE = "four unrelated words here";
const row = (state) => new RegExp(`^${NAME}.*${t(`common:state.${state}`)}`);
const begins = (key) => startsWith(t(key).split("{{")[0]);

/** Opens a window with a browser and a protected server. The test decides about the keyring. */
function scene(name, wanted, work) {
  return withProtected(wanted, async (server) => {
    const browser = new Browser();
    try {
      await withWindow(name, (desktop) => work({ desktop, session: desktop.session, server, browser }), {
        env: { ...browser.env, RUST_LOG: "trace" },
      });
    } finally {
      browser.close();
    }
  });
}

/** Adds the server by its URL and waits until it needs a sign-in. */
async function add({ session, server }) {
  await session.byCss("main[aria-label]");
  await address(session, "/servers?add=url");
  const dialog = await session.byRole("dialog", t("servers:add.title"));
  const within = { within: dialog };
  await (await session.byRole("textbox", t("servers:form.url.label"), within)).fill(server.resource);
  await (await session.byRole("textbox", "Name", within)).fill(NAME);
  await (await session.byRole("button", /^Add and connect/, within)).click();
  await until(async () => (await session.allByRole("dialog")).length === 0, "the dialog to close");
  await session.byRole("row", row("sign_in_needed"), { timeout: 30_000 });
}

/** Opens the server's sign-in tab and presses the button. */
async function pressSignIn({ session }) {
  await clickRow(session, row("sign_in_needed"));
  await openTab(session, t("servers:inspector.signIn"));
  const details = await session.byCss(`aside[aria-label="Details of “${NAME}”"]`);
  await (await session.byRole("button", startsWith(t("sign-in:begin")), { within: details })).click();
}

async function isReady(session) {
  await address(session, "/servers");
  await session.byRole("row", row("ready"), { timeout: 30_000 });
}

/** Calls a tool in the Workbench. */
async function calls({ desktop, session }, said) {
  const { id } = JSON.parse(mooringOk(desktop, "list", "--json")).result[0];
  await address(session, `/workbench?server=${id}&tool=echo`);
  await toolIsOpen(session, "echo");
  // A server that restarts now may take the focus out of the field, so check the text as a person would.
  const typed = async () => {
    const field = await session.byRole("textbox", "text");
    await field.fill(said);
    return (await field.property("value")) === said;
  };
  await until(typed, `${said} to be typed`, 30_000);
  await run(session);
  // The request shows it too.
  await session.shows(said);
  await session.shows(t("workbench:run.ok"));
}

/** Opens an account from the list. */
async function openLogin(session) {
  const row = await session.byRole("row", /ada@example\.org/);
  await (await session.execute("return arguments[0].querySelector('td bdi, td b')", row)).click();
}

/** Whether anything still moves or changes its colour. */
const MOVES = `return document.getAnimations().some(({ playState, effect }) =>
  playState === "running" && effect.getComputedTiming().iterations !== Infinity)`;

/** Takes pictures in both themes and returns axe's findings. */
async function show(session, name) {
  const wrong = [];
  for (const theme of ["light", "dark"]) {
    await session.execute("document.documentElement.dataset.theme = arguments[0]", theme);
    await session.settled();
    await until(async () => !(await session.execute(MOVES)), "everything to stand still");
    await session.screenshot(join(pictures(), `accounts-${name}-${theme}.png`));
    wrong.push(...(await violationsOf(session, `${name}, ${theme}`)));
  }
  return wrong;
}

test("somebody signs in, calls a tool, stays signed in and signs out, and the server has seen it", () =>
  scene("accounts", {}, async (place) => {
    const { desktop, server, browser } = place;
    let { session } = place;
    const wrong = [];
    const canaries = new Canaries(desktop);
    const keyring = await Keyring.start(desktop, "a password");
    try {
      await add(place);
      assert.deepEqual(browser.opened(), []);
      await clickRow(session, row("sign_in_needed"));
      await openTab(session, t("servers:inspector.signIn"));
      wrong.push(...(await show(session, "needed")));

      await pressSignIn(place);
      await session.shows("Your browser is open at 127.0.0.1. Finish signing in there.", { timeout: 30_000 });
      await (await session.byRole("button", startsWith(t("sign-in:steps.done")))).click();
      for (const purpose of ["challenge", "resource_metadata", "server_metadata", "client_identity", "registration", "authorization"]) {
        await session.shows(t(`sign-in:purpose.${purpose}`));
      }
      await session.shows(t("sign-in:steps.waiting"));
      wrong.push(...(await show(session, "browser")));
      await until(() => browser.opened().length === 1, "the browser");
      assert.ok(browser.opened()[0].startsWith(`${server.issuer}/auth?`), browser.opened()[0]);
      browser.go();
      await session.shows(/Signed in as\s+ada@example\.org\s*\./, { timeout: 30_000 });
      await session.byRole("row", row("ready"), { timeout: 30_000 });
      wrong.push(...(await show(session, "signed-in")));

      await calls(place, "before the end");
      assert.equal(await server.granted("refresh_token"), 0);

      await goTo(session, "accounts");
      await openLogin(session);
      const details = await session.byCss('aside[aria-label="Account details: ada@example.org"]');
      const told = await details.text();
      for (const words of [server.issuer, server.resource, NAME, "tools", "ada"]) assert.ok(told.includes(words), `${words} in ${told}`);
      await until(async () => !(await details.text()).includes(t("accounts:fact.neverUsed")), "the use to be noted", 30_000);
      wrong.push(...(await show(session, "login")));
      await server.liveFor(3);
      await (await session.byRole("button", startsWith(t("accounts:action.refresh")), { within: details })).click();
      await session.shows(/Token for \S+ refreshed\./);
      assert.equal(await server.granted("refresh_token"), 1);

      // The token expires, and the next call succeeds anyway.
      await server.liveFor(3600);
      await server.untilExpired();
      await calls(place, "after the end");
      assert.equal(await server.granted("refresh_token"), 2);
      assert.deepEqual((await server.seen()).refused, []);

      // After a restart everything is unchanged, and nothing was asked.
      await desktop.restart();
      session = place.session = desktop.session;
      await session.byCss("main[aria-label]");
      await isReady(session);
      await calls(place, "after a restart");
      assert.equal((await server.seen()).asked.length, 1);
      assert.equal(browser.opened().length, 1);
      assert.ok((await server.tried()).some((status) => status !== 401));

      // No secret of the sign-in can be read anywhere.
      const secrets = await server.secrets();
      assert.ok(secrets.length >= 6, `${secrets.length} secrets`);
      assert.deepEqual(await canaries.found(secrets), []);
      await canaries.control();

      await goTo(session, "accounts");
      await openLogin(session);
      await (await session.byRole("button", startsWith(t("accounts:action.signOut")))).click();
      const dialog = await session.byRole("dialog", /^Sign out ada@example\.org everywhere/);
      wrong.push(...(await show(session, "signing-out")));
      await (await session.byRole("button", startsWith(t("accounts:signOut.submit")), { within: dialog })).click();
      await session.shows("revoked the tokens");
      await session.shows(t("accounts:empty.title"));
      const { revoked, alive } = await server.seen();
      assert.ok(revoked >= 1 && alive === 0, `${revoked} revoked, ${alive} alive`);
      assert.ok((await server.tried()).every((status) => status === 401));
      await address(session, "/servers");
      await session.byRole("row", row("sign_in_needed"), { timeout: 30_000 });
      assert.deepEqual(wrong, []);
    } finally {
      await keyring.stop();
    }
  }));

test("a keychain that is locked holds nothing up, and once it is open somebody is still signed in", () =>
  scene("accounts-locked", {}, async (place) => {
    const { desktop, server, browser } = place;
    let { session } = place;
    let keyring = await Keyring.start(desktop, "a password");
    try {
      browser.go();
      await add(place);
      await pressSignIn(place);
      await session.shows(/Signed in as\s+ada@example\.org\s*\./, { timeout: 30_000 });
      await keyring.stop();
      keyring = await Keyring.start(desktop);
      await desktop.restart();
      session = place.session = desktop.session;
      await session.byCss("main[aria-label]");
      // Everything else still works.
      await address(session, "/settings?section=limits");
      await session.shows(t("settings:limits.text"));
      await goTo(session, "accounts");
      await session.byRole("row", /ada@example\.org/);
      await session.shows(/Waiting for keychain|Vault locked|Set up vault/, { timeout: 60_000 });
      const wrong = await show(session, "locked");
      assert.equal((await session.allByRole("row", row("ready"))).length, 0);

      await keyring.stop();
      keyring = await Keyring.start(desktop, "a password");
      await (await session.byRole("button", /Vault locked|Waiting for keychain|Set up vault/)).click();
      const dialog = await session.byRole("dialog");
      await (await session.byRole("button", startsWith(t("common:tryAgain")), { within: dialog })).click();
      await session.shows(t("vault:status.keychain"), { timeout: 30_000 });
      await isReady(session);
      assert.equal((await server.seen()).asked.length, 1);
      assert.deepEqual(wrong, []);
    } finally {
      await keyring.stop();
    }
  }));

test("without a keychain a passphrase keeps the login, and opens it after a start", () =>
  scene("accounts-passphrase", {}, async (place) => {
    const { desktop, server, browser } = place;
    let { session } = place;
    const wrong = [];
    browser.go();
    await add(place);
    await pressSignIn(place);
    await session.shows(t("sign-in:problem.vault.title"), { timeout: 30_000 });
    assert.equal((await server.seen()).registered.length, 0);
    if ((await session.allByRole("dialog")).length === 0) {
      await (await session.byRole("button", startsWith(t("sign-in:problem.vault.open")))).click();
    }
    await session.byRole("dialog", t("vault:dialog.choose"));
    wrong.push(...(await show(session, "choice")));
    const fields = await session.execute('return [...document.querySelectorAll("[role=dialog] input[type=password]")]');
    for (const field of fields) await field.fill(PASSPHRASE);
    await (await session.byRole("button", startsWith(t("vault:choice.passphrase.submit")))).click();
    // The sign-in continues automatically.
    await session.shows(/Signed in as\s+ada@example\.org\s*\./, { timeout: 30_000 });
    await isReady(session);
    await calls(place, "under a passphrase");

    await desktop.restart();
    session = place.session = desktop.session;
    await session.byCss("main[aria-label]");
    await goTo(session, "accounts");
    await session.shows(t("vault:status.locked"), { timeout: 30_000 });
    wrong.push(...(await show(session, "passphrase")));
    await (await session.byRole("button", begins("vault:banner.enter"))).click();
    const dialog = await session.byRole("dialog", t("vault:dialog.enter"));
    const field = () => session.byCss("[role=dialog] input[type=password]");
    await (await field()).fill("not the passphrase");
    await (await session.byRole("button", startsWith(t("vault:unlock.submit")), { within: dialog })).click();
    await session.shows(t("vault:unlock.wrong"), { timeout: 30_000 });
    wrong.push(...(await show(session, "wrong-passphrase")));
    await (await field()).fill(PASSPHRASE);
    await session.press(Key.Enter);
    await session.shows(t("vault:status.passphrase"), { timeout: 30_000 });
    await isReady(session);
    await calls(place, "after a start");
    assert.equal((await server.seen()).asked.length, 1);
    assert.deepEqual(wrong, []);
  }));
