import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { journalHealth } from "@/ipc/queries";
import { Banners } from "./banners";
import { Feed, type FeedSource } from "./feed/feed";

const everything = {
  source: null,
  serverId: null,
  direction: null,
  method: null,
  kinds: [],
  statuses: [],
  minDurationUs: null,
  text: null,
};
const quiet: FeedSource = {
  follow: () => Promise.resolve(null),
  acknowledge: () => Promise.resolve(null),
  stop: () => Promise.resolve(null),
  page: () => Promise.resolve({ rows: [], more: false }),
};

function show(feed: Feed, client = new QueryClient()) {
  render(
    <QueryClientProvider client={client}>
      <Banners feed={feed} />
    </QueryClientProvider>,
  );
}

it("says when events are not being saved, with the reason and the next step", () => {
  const client = new QueryClient();
  client.setQueryData(journalHealth().queryKey, {
    failing: true,
    message: { code: "the disk is full", params: {}, text: "the disk is full" },
  });
  show(new Feed(quiet), client);
  expect(screen.getByRole("alert").textContent).toMatch(/Events aren’t being saved.*the disk is full.*Free up disk space/);
});

it("says nothing while all is well", () => {
  show(new Feed(quiet));
  expect(screen.queryByRole("alert")).toBeNull();
});

it("says when the live feed broke off, and opens it again", async () => {
  const acknowledge = vi.fn<FeedSource["acknowledge"]>(() => Promise.reject(new Error("no such follow")));
  let send: Parameters<FeedSource["follow"]>[2] = () => undefined;
  const feed = new Feed({ ...quiet, acknowledge, follow: (_filter, _id, onBatch) => ((send = onBatch), Promise.resolve(null)) }, (apply) =>
    apply(),
  );
  await feed.open(everything);
  show(feed);
  send({ rows: [], skipped: 1 });
  expect(await screen.findByText("New events no longer arrive here")).toBeTruthy();
  const opened = vi.spyOn(feed, "open");
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(opened).toHaveBeenCalledWith(everything);
});
