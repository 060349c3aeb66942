import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type * as Bridge from "../../dev/mock-bridge";
import type { HostEvent } from "./bindings/HostEvent";
import { changedBy, readAgain } from "./cache";
import { watchHost } from "./events";
import { appInfo, decisions, rules, secrets, serverRoots, servers, settings, subscriptions, tools, trust } from "./queries";

const sent = vi.hoisted(() => ({ commands: [] as string[], announce: (_: unknown): void => undefined }));

vi.mock("../../dev/mock-bridge", async (original) => {
  const bridge = await original<typeof Bridge>();
  return {
    ...bridge,
    send: (name: string, args: Record<string, unknown>, on?: (message: unknown) => void) => {
      sent.commands.push("id" in args ? `${name} ${String(args["id"])}` : name);
      if (on !== undefined) sent.announce = on;
      return bridge.send(name, args, on);
    },
  };
});

let client: QueryClient;
const announce = (event: HostEvent) => sent.announce(event);
/** The commands that are read until nothing is running. */
async function readBy(work: () => unknown): Promise<string[]> {
  sent.commands.length = 0;
  await work();
  await vi.waitFor(() => expect(client.isFetching()).toBe(0));
  return sent.commands.toSorted();
}

beforeEach(async () => {
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const looked = [servers(), secrets(), settings(), rules(), decisions(10), subscriptions(1), tools(1), tools(2), trust(1), serverRoots(1)];
  await readBy(() => looked.forEach((options) => new QueryObserver(client, options as never).subscribe(() => undefined)));
  await readBy(() => watchHost(client));
});

describe("what changed", () => {
  it("is read again of the server that it is about, and no other", async () => {
    expect(await readBy(() => announce({ kind: "server", id: 2 }))).toEqual(["get_server 2"]);
    expect(await readBy(() => announce({ kind: "tools", id: 2 }))).toEqual(["get_server 2", "list_tools 2"]);
    expect(await readBy(() => announce({ kind: "trust", id: 3 }))).toEqual(["get_server 3"]);
  });
  it("of the log is in the event, and nothing is read for it", async () => {
    await readBy(() => client.fetchQuery(appInfo()));
    expect(await readBy(() => announce({ kind: "log", rows: 5_000, bytes: 7 }))).toEqual([]);
    expect(client.getQueryData(appInfo().queryKey)).toMatchObject({ logRows: 5_000, databaseBytes: 7, version: "0.1.0" });
    // Earlier results are older and must not stay.
    const reading = readBy(() => {
      void client.fetchQuery({ ...appInfo(), staleTime: 0 }).catch(() => undefined);
      new QueryObserver(client, appInfo()).subscribe(() => undefined);
      announce({ kind: "log", rows: 6_000, bytes: 8 });
    });
    expect(await reading).toEqual(["app_info", "app_info"]);
  });
  it("of many servers at once is read as one list", async () => {
    const many = () => [1, 2, 3, 5, 6].forEach((id) => announce({ kind: "server", id }));
    const read = await readBy(many);
    expect(read).toContain("list_servers");
    expect(await readBy(() => announce({ kind: "server", id: 1 }))).toEqual(["get_server 1"]);
  });
  it("is not lost when a reading is broken off by the next change", async () => {
    const before = client.getQueryData(servers().queryKey);
    client.setQueryData(servers().queryKey, (list) => list?.map((server) => ({ ...server, name: "old" })));
    await readBy(() => {
      announce({ kind: "server", id: 1 });
      announce({ kind: "server", id: 2 });
    });
    const names = client.getQueryData(servers().queryKey)?.filter((server) => server.name !== "old");
    expect(names).toEqual(before?.filter(({ id }) => id === 1 || id === 2));
    await readBy(() => {
      void readAgain(client, [{ of: "servers" }]);
      announce({ kind: "server", id: 1 });
    });
    expect(client.getQueryData(servers().queryKey)).toEqual(before);
  });
  it("of a server that is gone is read as the list", async () => {
    expect(await readBy(() => announce({ kind: "server", id: 99 }))).toEqual(["get_server 99", "list_servers"]);
  });
  it("is everything when a name changed or announcements were missed", async () => {
    const read = await readBy(() => announce({ kind: "servers" }));
    expect(read).toEqual([
      "get_settings",
      "get_trust",
      "list_decisions",
      "list_rules",
      "list_secrets",
      "list_servers",
      "list_subscriptions 1",
      "list_tools 1",
      "list_tools 2",
      "server_roots",
    ]);
  });
  it("by a command is what the command table says", async () => {
    expect(changedBy("restart_server", { id: 4 })).toEqual([{ of: "servers", id: 4 }]);
    expect(changedBy("check_form", { id: 4, content: "{}" })).toEqual([]);
    expect(await readBy(() => readAgain(client, changedBy("restore_rule", { id: 1 })))).toEqual(["list_decisions", "list_rules"]);
    expect(await readBy(() => readAgain(client, changedBy("rename_root", { id: 7, name: null })))).toEqual(["server_roots"]);
    expect(await readBy(() => readAgain(client, changedBy("share_roots", { server: 2, shared: true })))).toEqual([]);
  });
});
