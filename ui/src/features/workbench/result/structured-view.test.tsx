import { reset } from "@dev/mock-bridge";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { TooltipProvider } from "@/components/tooltip";
import { ResultName } from "./save-button";
import { StructuredView } from "./structured-view";

const ROWS = JSON.stringify([
  { city: "Oslo", berths: 10 },
  { city: "Bergen", berths: 9 },
  { city: "Ålesund", berths: 120 },
]);

beforeEach(() => {
  // Tests have no layout, and lists that only draw visible rows need a height.
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(4_000);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(400);
});

function show() {
  const host = reset("usual");
  render(
    <QueryClientProvider client={new QueryClient()}>
      <TooltipProvider>
        <ResultName value="berths">
          <StructuredView text={ROWS} />
        </ResultName>
      </TooltipProvider>
    </QueryClientProvider>,
  );
  return { host, user: userEvent.setup() };
}

const cities = () => screen.getAllByRole("row").map((row) => row.firstChild?.textContent);

it("sorts by a column with the keyboard, up, down and as sent", async () => {
  const { user } = show();
  const heading = screen.getByRole("columnheader", { name: "berths" });
  screen.getByRole("button", { name: "berths" }).focus();
  for (const [sorted, order] of [
    ["ascending", ["city", "Bergen", "Oslo", "Ålesund"]],
    ["descending", ["city", "Ålesund", "Oslo", "Bergen"]],
    ["none", ["city", "Oslo", "Bergen", "Ålesund"]],
  ] as const) {
    await user.keyboard("{Enter}");
    await waitFor(() => expect(cities()).toEqual(order));
    expect(heading.getAttribute("aria-sort")).toBe(sorted);
  }
});

it("filters rows and says how many are left", async () => {
  const { user } = show();
  await user.type(screen.getByRole("textbox", { name: "Filter rows" }), "berg");
  await waitFor(() => expect(cities()).toEqual(["city", "Bergen"]));
  expect(screen.getByText("1 of 3 rows")).toBeTruthy();
  expect(screen.getByRole("table").getAttribute("aria-rowcount")).toBe("2");
});

it("is saved as a file: a table as CSV, a tree as JSON", async () => {
  const { host, user } = show();
  await user.click(screen.getByRole("button", { name: "Save as CSV…" }));
  await waitFor(() => expect(host.saved.files.get("berths.csv")?.content).toContain("Bergen,9"));
  await user.click(screen.getByRole("radio", { name: "Tree" }));
  await user.click(screen.getByRole("button", { name: "Save as file…" }));
  await waitFor(() => expect(host.saved.files.get("berths.json")?.content).toBe(ROWS));
});
