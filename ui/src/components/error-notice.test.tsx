import { render, screen } from "@testing-library/react";
import i18next from "i18next";
import type { ReactNode } from "react";
import { afterEach, describe, expect, it } from "vitest";
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
  afterEach(() => i18next.changeLanguage("en"));
  it.each([
    ["en", "Try this: Try again."],
    ["zh-CN", "解决方法：Try again."],
  ])("follows its heading as %s is written", async (language, text) => {
    await i18next.changeLanguage(language);
    render(<ErrorNotice title="It failed" next="Try again." />);
    expect(screen.getByRole("alert").querySelector("p:last-of-type")?.textContent).toBe(text);
  });
});
