import { dialogWithKeyboard, openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { proxyAddress } from "./proxy-address";

const file = new File(["-----BEGIN CERTIFICATE-----"], "ca.pem");

/** Chooses a file with certificates. */
const chooser = () => {
  const input = document.querySelector<HTMLInputElement>("[data-setting=certificates] input[type=file]");
  if (!input) throw new Error("no chooser");
  return input;
};

describe("the network settings", () => {
  it("save a proxy of one's own once its URL is right, and undo it", async () => {
    const { user, host } = openApp("/settings?section=network");
    const proxy = async () => (await host.get_settings()).proxy;
    await user.click(await screen.findByRole("combobox", { name: "Proxy" }));
    await user.click(await screen.findByRole("option", { name: "Manual" }));
    const url = await screen.findByRole("textbox", { name: "Proxy URL" });
    expect(screen.queryByRole("alert")).toBeNull();
    await user.type(url, "http://me:word@proxy.test{Enter}");
    await screen.findByRole("alert");
    expect(await proxy()).toBe("system");
    await user.clear(url);
    await user.type(url, "proxy.test:3128{Enter}");
    await waitFor(async () => expect(await proxy()).toEqual({ custom: { url: "http://proxy.test:3128", except: "" } }));
    const except = await screen.findByRole("textbox", { name: "Bypass proxy for" });
    await user.type(except, " intranet.test {Enter}");
    await waitFor(async () => expect(await proxy()).toEqual({ custom: { url: "http://proxy.test:3128", except: "intranet.test" } }));
    await user.click(screen.getByRole("combobox", { name: "Proxy" }));
    await user.click(await screen.findByRole("option", { name: "None" }));
    await waitFor(async () => expect(await proxy()).toBe("direct"));
    expect(screen.queryByRole("textbox", { name: "Proxy URL" })).toBeNull();
    await user.click(await screen.findByRole("button", { name: "Undo change of Proxy" }));
    await waitFor(async () => expect(await proxy()).toEqual({ custom: { url: "http://proxy.test:3128", except: "intranet.test" } }));
  });
  it("trust an authority only after a dialog, and take it back", async () => {
    const { user, host } = openApp("/settings?section=network");
    await screen.findByRole("button", { name: "Add…" });
    await user.upload(chooser(), file);
    let dialog = await dialogWithKeyboard("Trust these 2 certificate authorities?");
    await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
    expect(await host.list_certificates()).toEqual([]);
    await user.upload(chooser(), file);
    dialog = await dialogWithKeyboard("Trust these 2 certificate authorities?");
    await user.click(within(dialog).getByRole("button", { name: "Trust 2" }));
    await waitFor(async () => expect(await host.list_certificates()).toHaveLength(2));
    await user.click(await screen.findByRole("button", { name: "Remove “Harbour Root CA”" }));
    await waitFor(async () => expect(await host.list_certificates()).toHaveLength(1));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(async () => expect(await host.list_certificates()).toHaveLength(2));
    await user.upload(chooser(), file);
    dialog = await dialogWithKeyboard("All 2 are already trusted");
    expect(within(dialog).queryByRole("button", { name: /^Trust/ })).toBeNull();
  });
  it("say that another program changed them, and stay as they were", async () => {
    const { user, host } = openApp("/settings?section=network", "apps_changed");
    const notice = await screen.findByRole("alert");
    within(notice).getByText("Another program changed the network settings. What you saved counts.");
    within(notice).getByText("Saved in the database: the proxy http://proxy.test:1");
    await user.click(within(notice).getByRole("button", { name: "Keep current settings" }));
    await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
    expect(await host.list_certificates()).toEqual([]);
  });
  it("say at once that a file is too large", async () => {
    const { user, host } = openApp("/settings?section=network");
    await screen.findByRole("button", { name: "Add…" });
    await user.upload(chooser(), new File(["x".repeat((1 << 20) + 1)], "huge.pem"));
    await screen.findByText("“huge.pem” is larger than 1 MiB.");
    expect(host.sent.filter(({ name }) => name === "read_certificates")).toEqual([]);
  });
});

describe("the URL of a proxy", () => {
  it("may leave the scheme out and is a host and a port", () => {
    expect(["proxy.test:3128", " https://proxy.test/ ", "HTTP://10.0.0.1:8080", "[::1]:1"].map(proxyAddress)).toEqual([
      "http://proxy.test:3128",
      "https://proxy.test",
      "HTTP://10.0.0.1:8080",
      "http://[::1]:1",
    ]);
    const bad = ["", " ", "socks5://proxy.test", "http://a@proxy.test", "http://proxy.test/x", "http://proxy.test?x", "http://"];
    expect(bad.map(proxyAddress)).toEqual(bad.map(() => null));
  });
});
