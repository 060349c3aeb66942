import "@/features/workbench/workbench-screen";
import { openApp } from "@dev/render";
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";

const svg = (fill: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg"><path fill="${fill}" d="M0 0h8v8z"/></svg>`)}`;

it("stands beside the name of a tool, in the tree and over its form", async () => {
  const { host } = openApp("/workbench?server=2&tool=create_issue");
  const list = host.list_tools.bind(host);
  const icons = [
    { src: svg("black"), theme: "light" },
    { src: svg("white"), theme: "dark" },
  ];
  host.list_tools = async (args) => {
    const { tools, ...rest } = await list(args);
    const raw = (tool: { name: string; raw: string }) =>
      tool.name === "create_issue" ? JSON.stringify({ ...(JSON.parse(tool.raw) as object), icons }) : tool.raw;
    return { ...rest, tools: tools.map((tool) => ({ ...tool, raw: raw(tool) })) };
  };
  const row = await screen.findByRole("treeitem", { name: "create_issue" });
  const pictures = (element: Element | null) => [...(element?.querySelectorAll("img") ?? [])].map((image) => image.getAttribute("src"));
  expect(pictures(row)).toEqual([svg("black"), svg("white")]);
  const heading = await screen.findByRole("heading", { name: "create_issue" });
  expect(pictures(heading.parentElement)).toEqual([svg("black"), svg("white")]);
  // Those without one keep ours.
  expect(screen.getAllByRole("treeitem").filter((item) => item.querySelector("img"))).toEqual([row]);
});
