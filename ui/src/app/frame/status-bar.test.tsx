import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";

const bar = () => screen.queryByRole("contentinfo", { name: "Status" });

/** The window on the first day: no servers, and nothing encrypted yet. */
async function firstDay() {
  const app = openApp("/servers", "empty");
  const read = app.host.get_vault.bind(app.host);
  app.host.get_vault = async () => ({ ...(await read()), state: "closed", mode: null });
  await screen.findByText("Welcome to Mooring");
  await waitFor(() => expect(bar()).toBeNull());
  return app;
}

describe("the status bar", () => {
  it("isn’t there as long as it has nothing to say", async () => {
    const { user } = await firstDay();
    await user.click(await screen.findByRole("button", { name: /^Start the demo server/ }));
    await waitFor(() => expect(bar()?.textContent).toContain("1/1 running"));
  });
  it("says also on the first day that nobody is notified", async () => {
    const { host, client } = await firstDay();
    await host.set_settings({ settings: { ...(await host.get_settings()), doNotDisturb: "always" } });
    void client.invalidateQueries();
    await waitFor(() => expect(bar()?.textContent).toBe("Do not disturb"));
  });
});
