// Opens the whole window at a path in a test, with mock data.
import { QueryClient } from "@tanstack/react-query";
import { createMemoryHistory } from "@tanstack/react-router";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, vi } from "vitest";
import { App } from "@/app/app";
import { makeRouter } from "@/app/router";
import type { Scene } from "./mock/scenes";
import { reset } from "./mock-bridge";

/** Opens the window at `path`. Returns the mock host, the simulated user, and the router. */
export function openApp(path: string, scene: Scene = "usual") {
  const host = reset(scene);
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const router = makeRouter(createMemoryHistory({ initialEntries: [path] }));
  render(<App client={client} router={router} />);
  // If the test stops the time, the user's pauses advance it.
  const advanceTimers = (ms: number) => (vi.isFakeTimers() ? void vi.advanceTimersByTime(ms) : undefined);
  return { host, client, router, user: userEvent.setup({ advanceTimers }) };
}

/** The open dialog, once it has the keyboard focus. On a slow machine it is visible before that. */
export async function dialogWithKeyboard(name: string | RegExp) {
  const dialog = await screen.findByRole("dialog", { name });
  await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
  return dialog;
}
