import { readConfig } from "@dev/mock/import";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { ImportList, mistakesOf } from "./import-list";

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
    screen.getByText("this name is taken");
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
    screen.getByText("with the variables TOKEN");
    expect(document.body.textContent).not.toContain("secret-value");
  });
  it("say what is sealed, and what stays in plain text where nothing can be", () => {
    const { rerender } = render(<ImportList entries={entries} plain={false} left={new Set()} onToggle={() => undefined} onShow={() => undefined} />);
    screen.getByText("seals TOKEN in the vault");
    rerender(<ImportList entries={entries} plain left={new Set()} onToggle={() => undefined} onShow={() => undefined} />);
    screen.getByText("TOKEN should be sealed and stays in plain text");
  });
  it("spell out hidden characters", () => {
    render(<ImportList entries={entries} plain={false} left={new Set()} onToggle={() => undefined} onShow={() => undefined} />);
    screen.getByText("odd⟨U+202E⟩");
  });
  it("mark each wrong place once", () => {
    expect(mistakesOf({ entries, error: null, plain: null })).toEqual([{ line: 4, column: 5, message: "has neither command nor url" }]);
    const broken = { message: said("expected a comma"), line: 1, column: 3 };
    expect(mistakesOf({ entries: [], error: broken, plain: null })).toEqual([{ ...broken, message: "expected a comma" }]);
  });
});
