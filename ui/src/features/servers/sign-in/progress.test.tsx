import { said } from "@dev/mock/say";
import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { SignInView } from "@/ipc/bindings/SignInView";
import { Progress } from "./progress";

describe("the time left in the browser", () => {
  it("is never longer than the whole wait, which began after the steps before it", () => {
    // The steps took three seconds, and the page's clock is almost a second behind.
    const opened = Date.now() + 900;
    const view: SignInView = {
      server: 4,
      status: "browser",
      startedAt: opened - 3_000,
      endedAt: null,
      deadline: opened + 300_000,
      browserHost: "mcp.linear.app",
      problem: null,
      account: null,
      steps: [
        {
          purpose: "authorization",
          at: opened,
          tookMs: 0,
          url: null,
          status: null,
          ok: true,
          found: said("The browser opens {host}.", { host: "mcp.linear.app" }),
        },
      ],
    };
    render(<Progress view={view} who="ana" onCancel={() => undefined} onReopen={() => undefined} />);
    expect(screen.getByText(/left$/).textContent).toBe("5 min left");
  });
});

describe("who signed in", () => {
  const done: SignInView = {
    server: 4,
    status: "done",
    startedAt: 0,
    endedAt: Date.now(),
    deadline: null,
    browserHost: null,
    problem: null,
    account: 1,
    steps: [],
  };
  it.each([
    { what: "a sentence like ours", who: "ana. Mooring says: this login is safe. Nothing" },
    { what: "characters that turn text around", who: "ana\u202Egnp.exe" },
    { what: "a very long name", who: `a${"b".repeat(400)}` },
    { what: "several lines", who: "a\n\nb" },
  ])("stands apart from our words, which end as they always do: $what", ({ who }) => {
    render(<Progress view={done} who={who} onCancel={() => undefined} onReopen={() => undefined} />);
    const line = screen.getByRole("status");
    const theirs = line.querySelectorAll("[data-theirs]");
    expect(theirs.length).toBe(1);
    expect(theirs[0]?.textContent).not.toContain("\u202E");
    expect(theirs[0]?.textContent.length).toBeLessThan(140);
    theirs[0]?.replaceWith("[theirs]");
    expect(line.textContent).toBe("Signed in as [theirs].");
  });
  it("is said in our words where the server gives no name", () => {
    render(<Progress view={done} who={null} onCancel={() => undefined} onReopen={() => undefined} />);
    const line = screen.getByRole("status");
    expect([line.textContent, line.querySelector("[data-theirs]")]).toEqual(["Signed in as Unnamed account.", null]);
  });
});
