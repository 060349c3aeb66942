import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { describe, expect, it, vi } from "vitest";
import type { Settings } from "@/ipc/bindings/Settings";
import { servers, settings } from "@/ipc/queries";
import { reset } from "../../dev/mock-bridge";
import { showOverlay, useOverlay, vaultOpened } from "./overlays";
import { useToasts } from "./toasts";
import { type Options, shownAtOnce, useCommand } from "./use-command";

const useAll = (options?: Options) => ({ command: useCommand(options), overlay: useOverlay(), toasts: useToasts() });

function open(options?: Options) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>;
  return { client, ...renderHook(() => useAll(options), { wrapper }) };
}

describe("a command", () => {
  it("is busy until what it changed was read again, and then answers", async () => {
    const { client, result } = open();
    await client.fetchQuery(servers());
    let answer: unknown;
    act(() => void result.current.command.run("stop_server", { id: 1 }).then((given) => (answer = given)));
    expect(result.current.command.busy).toBe(true);
    await waitFor(() => expect(result.current.command.busy).toBe(false));
    expect(answer).toBeNull();
    expect(client.getQueryState(servers().queryKey)?.isInvalidated).toBe(true);
  });
  it("says why it failed, or lets the component show it", async () => {
    reset("failed_stop_server");
    const said = open({ failure: (text, name) => `${name}: ${text}` });
    const answer = await act(() => said.result.current.command.run("stop_server", { id: 1 }));
    expect(answer).toBeUndefined();
    expect(said.result.current.toasts.at(-1)).toMatchObject({
      text: "stop_server: The database reported: database is locked.",
      tone: "bad",
    });
    said.unmount();
    const shown = open({ failure: "shown" });
    const failed = vi.fn();
    const { toasts } = shown.result.current;
    await act(() => shown.result.current.command.run("stop_server", { id: 1 }, { failed }));
    expect(shown.result.current.command.error?.code).toBe("internal");
    expect(shown.result.current.toasts).toEqual(toasts);
    expect(failed).toHaveBeenCalledOnce();
    act(() => shown.result.current.command.clear());
    expect(shown.result.current.command.error).toBeNull();
  });
  it("of a component that has gone answers nothing, and what is to be said of it is said", async () => {
    const { result, unmount } = open();
    const done = vi.fn();
    const answer = result.current.command.run("stop_server", { id: 1 }, { done });
    unmount();
    expect(await answer).toBeUndefined();
    expect(done).toHaveBeenCalledWith(null);
  });
  it("that worked is not said to have failed where what follows it does", async () => {
    const { result } = open();
    const failed = vi.fn();
    const { toasts } = result.current;
    const done = () => {
      throw new Error("the screen is gone");
    };
    await act(async () => {
      await expect(result.current.command.run("stop_server", { id: 1 }, { done, failed })).rejects.toThrow("the screen is gone");
    });
    expect(failed).not.toHaveBeenCalled();
    expect(result.current.command).toMatchObject({ busy: false, error: null });
    expect(result.current.toasts).toEqual(toasts);
  });
  it("that needs the vault asks for it, and runs again once it is open", async () => {
    const host = reset("usual");
    const { result } = open({ vault: true });
    const { toasts } = result.current;
    const refused = vi.spyOn(host, "refusal").mockReturnValueOnce({ code: "vault_locked", message: "locked", details: null });
    let answer: unknown;
    act(() => void result.current.command.run("stop_server", { id: 1 }).then((given) => (answer = given)));
    await waitFor(() => expect(result.current.overlay).toBe("vault"));
    expect(answer).toBeUndefined();
    expect(result.current.toasts).toEqual(toasts);
    act(() => vaultOpened());
    await waitFor(() => expect(answer).toBeNull());
    expect(refused).toHaveBeenCalledTimes(2);
    showOverlay(null);
  });
  it("is shown at once, and not if it failed", async () => {
    reset("failed_set_settings");
    const { client, result } = open({ failure: "shown" });
    const before = await client.fetchQuery(settings());
    const { queryKey } = settings();
    let saved: Promise<unknown> = Promise.resolve();
    act(() => {
      const then = shownAtOnce(client, queryKey, (now: Settings): Settings => ({ ...now, theme: "dark" }));
      saved = result.current.command.run("set_settings", { settings: { ...before, theme: "dark" } }, then);
    });
    expect(client.getQueryData(queryKey)?.theme).toBe("dark");
    await act(() => saved);
    expect(client.getQueryData(queryKey)).toEqual(before);
  });
});
