// A server that downloads its package shows that everywhere, with the elapsed seconds.
import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a server that downloads its package", () => {
  it("counts in its row, in its head and in its overview", async () => {
    const { host } = openApp("/servers?id=8", "servers_downloading");
    const row = await screen.findByRole("row", { name: /^git .*Downloading/ });
    const details = within(await screen.findByRole("complementary", { name: "Details of “git”" }));
    const card = await details.findByText("Downloading its package");
    const head = details.getByText("Downloading").closest("p");
    const since = host.servers.find(({ id }) => id === 8)?.since ?? 0;
    const seconds = () => [row, head, card.parentElement].map((part) => Number(/(\d+) s/.exec(part?.textContent ?? "")?.[1]));
    const time = vi.spyOn(Date, "now");
    for (const passed of [21, 34]) {
      time.mockReturnValue(since + passed * 1_000);
      await waitFor(() => expect(seconds()).toEqual([passed, passed, passed]));
    }
    // The bar doesn't fill, because the progress of the download is unknown.
    expect(details.getByRole("progressbar", { name: "Downloading its package" }).getAttribute("aria-valuenow")).toBeNull();
    details.getByText("Gives up after 2 min");
    // One button ends it.
    details.getByRole("button", { name: /^Stop/ });
    expect(details.queryByRole("button", { name: "Cancel" })).toBeNull();
  });
});
