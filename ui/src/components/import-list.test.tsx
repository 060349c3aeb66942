import { readConfig } from "@dev/mock/import";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { applyLanguage } from "@/lib/i18n";
import chinese from "@/locales/zh-CN/sentences.json";
import { ImportList, leftAtFirst, mistakesOf, remarks, warningsIn } from "./import-list";

const said = (text: string) => ({ code: "{quoted}", params: { quoted: text }, text });

const config = `{
  "mcpServers": {
    "git": { "command": "uvx", "args": ["mcp-server-git"], "env": { "TOKEN": "secret-value" } },
    "lamps": { "cmd": "x" },
    "saved": { "url": "https://example.com/mcp" },
    "odd\\u202e": { "command": "npx", "args": ["two words"] }
  }
}`;

describe("the entries of a pasted configuration", () => {
  const { entries } = readConfig(config, ["saved"]);

  it("show the whole command of the good, the reason and place of the bad, and what is there already", async () => {
    const onShow = vi.fn();
    const onToggle = vi.fn();
    render(<ImportList entries={entries} plain={false} left={new Set()} onToggle={onToggle} onShow={onShow} />);
    screen.getByText("uvx mcp-server-git");
    screen.getByText("npx 'two words'");
    screen.getByText("has neither command nor url");
    screen.getByText("Name already used");
    expect(screen.getByRole("checkbox", { name: /git/ }).getAttribute("aria-checked")).toBe("true");
    expect(screen.getByRole("checkbox", { name: /saved/ })).toHaveProperty("disabled", true);
    const user = userEvent.setup();
    await user.click(screen.getByRole("button", { name: "line 4:5" }));
    expect(onShow).toHaveBeenCalledWith(4, 5);
    await user.click(screen.getByRole("checkbox", { name: /git/ }));
    expect(onToggle).toHaveBeenCalledWith(["git"], false);
  });
  it("name the variables and never show their values", () => {
    render(<ImportList entries={entries} plain={false} left={new Set()} onToggle={() => undefined} onShow={() => undefined} />);
    screen.getByText("Variable: TOKEN");
    expect(document.body.textContent).not.toContain("secret-value");
  });
  it("show nobody's password in a URL", () => {
    const dsn = "postgresql://me:hunter2@db.test/app";
    const { entries } = readConfig(`{"mcpServers":{"pg":{"command":"uvx","args":["mcp-server-postgres","${dsn}"]}}}`, []);
    render(<ImportList entries={entries} plain={false} left={new Set()} onToggle={() => undefined} onShow={() => undefined} />);
    screen.getByText("uvx mcp-server-postgres postgresql://•••@db.test/app");
    expect(document.body.textContent).not.toContain("hunter2");
  });
  it("join names as the language does", async () => {
    await applyLanguage("zh-CN");
    const { entries } = readConfig('{"mcpServers":{"a":{"command":"b","env":{"ONE":"1","TWO":"2"}}}}', []);
    render(<ImportList entries={entries} plain={false} left={new Set()} onToggle={() => undefined} onShow={() => undefined} />);
    screen.getByText(/ONE=1、TWO=2/);
  });
  it("say what is sealed, and what stays in plain text where nothing can be", () => {
    const { rerender } = render(
      <ImportList entries={entries} plain={false} left={new Set()} onToggle={() => undefined} onShow={() => undefined} />,
    );
    screen.getByText("Stored encrypted: TOKEN");
    rerender(<ImportList entries={entries} plain left={new Set()} onToggle={() => undefined} onShow={() => undefined} />);
    screen.getByText("Secrets stored unencrypted: TOKEN");
  });
  it("say what is turned off and what is to be filled in, and leave out at first what would start without it", () => {
    const config = `{ "mcpServers": {
      "off": { "command": "a", "disabled": true },
      "open": { "command": "b", "env": { "TOKEN": "\${input:token}", "PLAIN": "x" } },
      "noted": { "command": "c", "args": ["\${workspaceFolder}"] }
    } }`;
    const { entries } = readConfig(config, []);
    expect(leftAtFirst(entries)).toEqual(["off", "noted"]);
    render(
      <ImportList
        entries={entries}
        plain={false}
        left={new Set(leftAtFirst(entries))}
        onToggle={() => undefined}
        onShow={() => undefined}
      />,
    );
    screen.getByText("disabled");
    screen.getByText("No value for “TOKEN”. Enter it after adding the server.");
    screen.getByText("Variable: PLAIN=x");
    expect(screen.getAllByRole("listitem").at(-1)?.textContent).toContain(
      `Argument 1 contains \${workspaceFolder}, which is passed on unchanged.`,
    );
    expect(screen.queryByText(/^Stored encrypted/)).toBeNull();
    expect(screen.getAllByRole("checkbox").map((box) => box.getAttribute("aria-checked"))).toEqual(["mixed", "false", "true", "false"]);
  });
  it("tell what only is a remark from what to look out for", () => {
    const { entries } = readConfig('{"mcpServers":{"a":{"command":"npx -y a","args":["./x"],"autoStart":true}}}', []);
    const { container } = render(
      <ImportList entries={entries} plain={false} left={new Set()} onToggle={() => undefined} onShow={() => undefined} />,
    );
    const notes = [...container.querySelectorAll("li p:has(svg)")].map((note) => [
      note.querySelector("svg")?.classList.contains("text-warn"),
      note.textContent?.split(/[.:]/)[0],
    ]);
    expect(notes).toEqual([
      [true, ""],
      [false, "The command line is split into its program and its arguments"],
      [false, "autoStart isn’t imported"],
    ]);
    expect(warningsIn(entries)).toBe(1);
  });
  it("know every remark by a sentence that there is", () => {
    for (const code of remarks) expect(chinese).toHaveProperty([code]);
  });
  it("spell out hidden characters", () => {
    render(<ImportList entries={entries} plain={false} left={new Set()} onToggle={() => undefined} onShow={() => undefined} />);
    screen.getByText("odd⟨U+202E⟩");
  });
  it("mark each wrong place once", () => {
    expect(mistakesOf({ entries, error: null, plain: null, read_as: null })).toEqual([
      { line: 4, column: 5, message: "has neither command nor url" },
    ]);
    const broken = { message: said("expected a comma"), line: 1, column: 3 };
    expect(mistakesOf({ entries: [], error: broken, plain: null, read_as: null })).toEqual([{ ...broken, message: "expected a comma" }]);
  });
});
