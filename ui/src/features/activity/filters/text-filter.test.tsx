import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createRef } from "react";
import { describe, expect, it, vi } from "vitest";
import type { ActivitySearch, ChangeSearch } from "../search";
import { TextFilter } from "./text-filter";

const facets = { sources: [], apps: ["cursor"], methods: [], total: 1 };

/** The field, with a URL that only the test changes. */
function open() {
  const onChange = vi.fn<ChangeSearch>();
  const field = (search: ActivitySearch) => (
    <TextFilter search={search} facets={facets} onChange={onChange} inputRef={createRef()} onLeave={() => undefined} />
  );
  const none: ActivitySearch = {};
  const { rerender } = render(field(none));
  return {
    user: userEvent.setup(),
    box: screen.getByRole<HTMLInputElement>("textbox"),
    become: (search: ActivitySearch) => rerender(field(search)),
    sent: () => waitFor(() => expect(onChange).toHaveBeenCalledTimes(1)),
  };
}

describe("the text filter", () => {
  it("keeps what is typed before the address has changed", async () => {
    const { user, box, become, sent } = open();
    await user.type(box, "app:cursor ");
    await sent();
    await user.type(box, "t");
    become({ app: "cursor" });
    expect(box.value).toBe("t");
  });
  it("gives way to filters that came from elsewhere", async () => {
    const { user, box, become, sent } = open();
    await user.type(box, "app:cursor ");
    await sent();
    await user.type(box, "t");
    become({ kind: "gap" });
    expect(box.value).toBe("");
  });
});
