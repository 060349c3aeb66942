import { render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { describe, expect, it } from "vitest";
import { applyLanguage } from "@/lib/i18n";
import { ErrorNotice } from "./error-notice";

describe("a notice", () => {
  it("has no row of buttons where none of them is there", () => {
    const row = (children: ReactNode) => render(<ErrorNotice title="It failed">{children}</ErrorNotice>).container.querySelector("p + div");
    expect(row([false, null])).toBeNull();
    expect(
      row([
        false,
        <button key="go" type="button">
          Go
        </button>,
      ])?.textContent,
    ).toBe("Go");
  });
});

describe("the next step in a notice", () => {
  it.each([
    ["en", "Try this: Try again."],
    ["zh-CN", "解决方法：Try again."],
  ] as const)("follows its heading as %s is written", async (language, text) => {
    await applyLanguage(language);
    render(<ErrorNotice title="It failed" next="Try again." />);
    expect(screen.getByRole("alert").querySelector("p:last-of-type")?.textContent).toBe(text);
  });
});
