import { said } from "@dev/mock/say";
import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { SignInView } from "@/ipc/bindings/SignInView";
import { Progress } from "./progress";

describe("the time left in the browser", () => {
  it("is never longer than the whole wait, which began after the steps before it", () => {
    // The steps took three seconds, and the clock of the page is most of a second behind.
    const opened = Date.now() + 900;
    const view: SignInView = {
      server: 4, status: "browser", startedAt: opened - 3_000, endedAt: null, deadline: opened + 300_000, browserHost: "mcp.linear.app", problem: null, account: null,
      steps: [{ purpose: "authorization", at: opened, tookMs: 0, url: null, status: null, ok: true, found: said("The browser is to open {host}.", { host: "mcp.linear.app" }) }],
    };
    render(<Progress view={view} who="ana" onCancel={() => undefined} onReopen={() => undefined} />);
    expect(screen.getByText(/^Mooring waits/).textContent).toBe("Mooring waits another 5 min.");
  });
});
