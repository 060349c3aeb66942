import { reset } from "@dev/mock-bridge";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { expect, it, vi } from "vitest";
import { TooltipProvider } from "@/components/tooltip";
import { Messages } from "../prompt/messages";
import { BlockView } from "./blocks";

const server = { id: 1, name: "harbour" };
const show = (children: ReactNode) => {
  const host = reset("usual");
  const { container } = render(
    <QueryClientProvider client={new QueryClient()}>
      <TooltipProvider>{children}</TooltipProvider>
    </QueryClientProvider>,
  );
  return { container, host, user: userEvent.setup() };
};
const showText = (text: string) => show(<BlockView block={{ kind: "text", text, notes: null }} server={server} />);
const showFile = (text: string, mime: string | null, uri = "file:///notes") =>
  show(<BlockView block={{ kind: "resource", uri, mime, text, blob: null, notes: null }} server={server} />);
const rendered = async (container: HTMLElement) =>
  await waitFor(() => {
    const frame = container.querySelector<HTMLElement>("[data-theirs]");
    if (frame === null) throw new Error("not rendered");
    return frame;
  });

const REPORT = `# Harbour report

Two ships **arrived**, see [the list](https://example.com/ships "all of them").

1. Ada
2. Grace

| ship | tons |
|:-----|-----:|
| Ada  | 1200 |

#### Details

\`\`\`json
{"ships": 2}
\`\`\`
`;

it("shows headings, lists, tables, code and links inside the server's frame", async () => {
  const frame = await rendered(showText(REPORT).container);
  const said = within(frame);
  // Below the page's headings, and at most one level below the previous one.
  expect(said.getByRole("heading", { name: "Harbour report" }).tagName).toBe("H2");
  expect(said.getByRole("heading", { name: "Details" }).tagName).toBe("H3");
  expect(said.getAllByRole("listitem").map((item) => item.textContent)).toEqual(["Ada", "Grace"]);
  const table = within(said.getByRole("group", { name: "Table" }));
  expect(table.getByRole("cell", { name: "1200" }).className).toContain("text-right");
  expect(said.getByText('{"ships": 2}').closest("pre")).not.toBeNull();
  expect(frame.textContent).toContain("(all of them)");
});

it("is the source where the person wants it, for every text", async () => {
  const { container, user } = showText(REPORT);
  await rendered(container);
  await user.click(screen.getByRole("radio", { name: "Raw" }));
  expect(container.querySelector("table")).toBeNull();
  screen.getByText(/\*\*arrived\*\*/);
  const other = showFile("plain words", "text/markdown");
  expect(within(other.container).getByRole("radio", { name: "Raw" })).toHaveProperty("dataset.state", "on");
  await user.click(within(container).getByRole("radio", { name: "Formatted" }));
  expect(other.container.querySelector("[data-theirs]")).not.toBeNull();
});

it.each([
  ["text/markdown", "file:///a"],
  ["text/markdown; charset=utf-8", "file:///a"],
  [null, "file:///a.md"],
])("is rendered where a resource says %s %s", async (mime, uri) => {
  const frame = await rendered(showFile("some *words*", mime, uri).container);
  expect(frame.querySelector("em")?.textContent).toBe("words");
});

it("is offered for a prompt's message", async () => {
  const message = (text: string) => ({ role: "user", blocks: [{ kind: "text" as const, text, notes: null }] });
  const { container } = show(
    <Messages prompt={{ description: null, messages: [message(REPORT), message("just words")] }} server={server} />,
  );
  await rendered(container);
  expect(screen.getAllByRole("radio", { name: "Formatted" })).toHaveLength(1);
});

it("is not offered for plain text and programs", () => {
  showText("Echo: hello");
  showFile("# one\n\ntext", "text/x-python");
  expect(screen.queryByRole("radio")).toBeNull();
});

// Requirements: SEC-18, ELIC-26.
it("shows raw HTML as text", async () => {
  const html = '<img src="https://evil.example/x.png" onerror="alert(1)"><script>alert(1)</script><!-- unseen -->';
  const frame = await rendered(showText(`# Title\n\nWords ${html}\n\n${html}\n`).container);
  expect(frame.querySelector("img, script, iframe, style, a")).toBeNull();
  expect(frame.textContent.split(html)).toHaveLength(3);
});

// Requirements: SEC-18, INFO-10.
it.each([
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "&#106;avascript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "./near.md",
  "//x.y",
])("shows a link to %s as it was written", async (address) => {
  const frame = await rendered(showText(`# Title\n\n[click](${address}) here\n`).container);
  expect(within(frame).queryByRole("button")).toBeNull();
  expect(frame.querySelector("a, [href]")).toBeNull();
  expect(frame.textContent).toContain("[click](");
});

// Requirements: SEC-18.
it("loads no image, and says where it would come from", async () => {
  const text = '# Title\n\n![a *chart*](https://evil.example/beacon.png?id=1 "hover")\n\n![x](data:image/png;base64,AAAA)\n';
  const frame = await rendered(showText(text).container);
  expect(frame.querySelector("img, picture, video, object, [src], [style*=url]")).toBeNull();
  expect(frame.textContent).toContain("a chart https://evil.example/beacon.png?id=1 (hover)");
  expect(frame.textContent).toContain("data:image/png;base64,AAAA");
});

// Requirements: SEC-18.
it("hides nothing of what the server wrote", async () => {
  const frame = await rendered(showText("# Title\n\nWords\n\n[//]: # (unseen words)\n\n[a]: https://x.example 'also unseen'\n").container);
  expect(frame.textContent).toContain("[//]: # (unseen words)");
  expect(frame.textContent).toContain("also unseen");
});

// Requirements: SEC-18.
it("spells out characters that are unseen or turn the text around", async () => {
  const frame = await rendered(showText("# Ti\u202etle\n\n- a&#x202E;b\n- `c\u200bd`\n\n```\ne\u2066f\n```\n").container);
  for (const name of ["U+202E", "U+200B", "U+2066"]) expect(frame.textContent).toContain(name);
  expect(frame.textContent).not.toMatch(/[\u202e\u200b\u2066]/);
});

// Requirements: SEC-18.
it.each([
  ["nested without end", `# Title\n\n${">".repeat(10_000)} deep`, "Too complex to format, so it’s shown raw."],
  [
    "a giant table",
    `|${"a|".repeat(50)}\n|${"-|".repeat(50)}\n${`|${"x|".repeat(50)}\n`.repeat(800)}`,
    "Too complex to format, so it’s shown raw.",
  ],
  ["very long", `# Title\n\n${"word ".repeat(60_000)}`, "Texts over 256 KiB are shown raw."],
])("is shown raw with the reason where it is %s", async (_, text, reason) => {
  const { container } = showText(text);
  await screen.findByText(reason);
  expect(container.querySelector("table, blockquote, [data-theirs]")).toBeNull();
});

// Requirements: INFO-10.
it("opens a link only after its address was shown and the person says so", async () => {
  const open = vi.spyOn(window, "open");
  const { host, container, user } = showText(REPORT);
  const link = within(await rendered(container)).getByRole("button", { name: "the list" });
  link.focus();
  await user.keyboard("{Enter}");
  const dialog = within(await screen.findByRole("dialog", { name: "Open this link?" }));
  await dialog.findByText("example.com");
  expect(host.sent).toEqual([]);
  await user.keyboard("{Escape}");
  expect(host.sent).toEqual([]);
  await user.click(link);
  await user.click(await screen.findByRole("button", { name: "Open in browser" }));
  expect(host.sent).toEqual([{ name: "open_link", args: { url: "https://example.com/ships" } }]);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(open).not.toHaveBeenCalled();
});

// Requirements: INFO-10.
it("says why a link is never opened", async () => {
  const { user, container } = showText("# Title\n\n[write](mailto:a@b.example)\n");
  await user.click(within(await rendered(container)).getByRole("button", { name: "write" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Open this link?" }));
  await dialog.findByText("Mooring doesn’t open this link.", { exact: false });
  expect(dialog.queryByRole("button", { name: "Open in browser" })).toBeNull();
});
