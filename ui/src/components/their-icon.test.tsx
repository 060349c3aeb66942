import "@/features/servers/servers-screen";
import "@/features/workbench/workbench-screen";
import { remoteIcons } from "@dev/mock/icons";
import { openApp } from "@dev/render";
import { screen, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";

const svg = (fill: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg"><path fill="${fill}" d="M0 0h8v8z"/></svg>`)}`;

it("stands beside the name of a tool, in the tree and over its form", async () => {
  // Tests have no layout, and the tree only draws visible rows.
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(4_000);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(400);
  const { host } = openApp("/workbench?server=2&tool=get_repository");
  const list = host.list_tools.bind(host);
  const icons = [
    { src: svg("black"), theme: "light" },
    { src: svg("white"), theme: "dark" },
  ];
  host.list_tools = async (args) => {
    const { tools, ...rest } = await list(args);
    const raw = (tool: { name: string; raw: string }) =>
      tool.name === "get_repository" ? JSON.stringify({ ...(JSON.parse(tool.raw) as object), icons }) : tool.raw;
    return { ...rest, tools: tools.map((tool) => ({ ...tool, raw: raw(tool) })) };
  };
  const row = await screen.findByRole("treeitem", { name: "get_repository" });
  const pictures = (element: Element | null) => [...(element?.querySelectorAll("img") ?? [])].map((image) => image.getAttribute("src"));
  expect(pictures(row)).toEqual([svg("black"), svg("white")]);
  const heading = await screen.findByRole("heading", { name: "get_repository" });
  expect(pictures(heading.parentElement)).toEqual([svg("black"), svg("white")]);
  // Those without an icon keep ours.
  expect(screen.getAllByRole("treeitem").filter((item) => item.getAttribute("aria-level") !== "1" && item.querySelector("img"))).toEqual([
    row,
  ]);
});

it("is loaded from a server only where the person allows it", async () => {
  const { user, host } = openApp("/servers");
  await user.click(await screen.findByRole("row", { name: /docs-search/ }));
  const asked = () => host.sent.filter(({ name }) => name === "load_icon").length;
  const [icon = ""] = Object.values(remoteIcons);
  const pictures = () => document.querySelectorAll(`img[src="${icon}"]`).length;
  const allow = await screen.findByRole("switch", { name: "From docs.acme.test" });
  expect([pictures(), asked()]).toEqual([0, 0]);
  await user.click(allow);
  await waitFor(() => expect(pictures()).toBeGreaterThan(0));
  expect(host.servers.find(({ name }) => name === "docs-search")?.loadsIcons).toBe(true);
  await user.click(allow);
  await waitFor(() => expect(pictures()).toBe(0));
});
