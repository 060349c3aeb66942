// The Workbench for tests: as in a new window, large enough for its lists to draw all rows.
import { vi } from "vitest";
import { forgetDrafts } from "@/features/workbench/args/drafts";
import { forgetTexts } from "@/features/workbench/args/texts";
import { forgetRuns } from "@/features/workbench/runs";
import { forgetSelection } from "@/features/workbench/selection";

export function freshWorkbench(width: () => number = () => 400): void {
  forgetDrafts();
  forgetTexts();
  forgetRuns();
  forgetSelection();
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(4_000);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockImplementation(width);
}
