import "@/features/inbox/inbox-screen";
import { holdTime, pass } from "@dev/clock";
import { asked, createIssue } from "@dev/mock/inbox-questions";
import { openApp } from "@dev/render";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { describe, expect, it, vi } from "vitest";

const heading = (name: RegExp | string) => screen.findByRole("heading", { level: 2, name });
const button = (name: RegExp | string) => screen.findByRole<HTMLButtonElement>("button", { name });
const armed = async (name: string) => {
  const found = await button(name);
  await waitFor(() => expect(found.disabled).toBe(false), { timeout: 5_000 });
  return found;
};
const pause = (ms: number) =>
  act(
    () =>
      new Promise((done) => {
        setTimeout(done, ms);
      }),
  );
/** Waits until earlier presses, also of other tests, can't be the first half of a double press. */
const longAgo = () => pause(600);

describe("the queue", () => {
  it("stands by server, oldest first, with what waits behind", async () => {
    openApp("/inbox", "inbox");
    const list = await screen.findByRole("list", { name: "Waiting questions" });
    expect(
      within(list)
        .getAllByRole("listitem")
        .map((item) => item.getAttribute("aria-label")),
    ).toEqual(["demo", "weather", "filesystem", "docs-search", "postgres-prod", "github"]);
    const behind = within(list).getAllByText(/queued/);
    expect(behind).toHaveLength(2);
    expect(within(list).getByText(/draft saved/)).not.toBeNull();
    const status = screen.getByRole("contentinfo", { name: "Status" });
    expect(status.textContent).toContain("8 waiting");
    // Past decisions are only shown if nothing waits.
    expect(screen.queryByRole("heading", { name: "Latest decisions" })).toBeNull();
  });
  it("is walked with j and k, and reached with i and 1", async () => {
    const { user, router } = openApp("/servers", "inbox");
    await screen.findByRole("grid");
    await user.keyboard("i");
    await waitFor(() => expect(router.state.location.pathname).toBe("/inbox"));
    await heading(/Send the model’s answer to “ demo ”/);
    await user.keyboard("j");
    await heading(/Open example\.co\.uk/);
    await user.keyboard("jj");
    await heading(/Let “ docs-search ” use a model/);
    await user.keyboard("k");
    await heading(/Share 2 folders with “ filesystem ”/);
  });
  it("has no list of decisions below that before there are any", async () => {
    openApp("/inbox", "empty");
    await heading("Nothing is waiting");
    await pause(50);
    expect(screen.queryByRole("heading", { level: 3 })).toBeNull();
  });
  it("says that nothing waits, what will come, and how the last questions ended", async () => {
    const { user, host } = openApp("/inbox");
    await heading("Nothing is waiting");
    expect((await screen.findAllByText(/^(allowed|sent|shared|declined)/)).length).toBeGreaterThan(3);
    await user.click(screen.getAllByRole("button", { name: /Ask me again/ })[0]!);
    await waitFor(() => expect(host.inbox.decisions[0]?.remembered).toBeNull());
    await user.click(await button("Undo"));
    await waitFor(() => expect(host.inbox.decisions[0]?.remembered).toEqual({ by: "rule", id: 901 }));
  });
  it("takes back what is remembered of folders and of models too", async () => {
    const { user, host } = openApp("/inbox");
    await heading("Nothing is waiting");
    const of = (kind: string) => host.inbox.decisions.find((item) => item.kind === kind)?.remembered;
    for (const [row, kind] of [
      [/Share folders/, "roots"],
      [/claude-sonnet-5/, "sampling_answer"],
    ] as const) {
      expect(of(kind)).not.toBeNull();
      const item = (await screen.findByText(row)).closest("li")!;
      await user.click(within(item).getByRole("button", { name: /Ask me again/ }));
      await waitFor(() => expect(of(kind)).toBeNull());
      await waitFor(() => expect(within(item).queryByRole("button", { name: /Ask me again/ })).toBeNull());
    }
    expect((await host.server_roots({ server: 10 })).shared).toBeNull();
    // These can't be undone here, because the next question is open.
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
  });
  it("lets a silenced server ask again", async () => {
    const { user, host } = openApp("/inbox", "inbox");
    await user.click(await button("Unmute"));
    await waitFor(() => expect(host.inbox.silenced).toEqual([]));
  });
});

describe("an approval", () => {
  it("is never taken in the first second, by no key and no click", async () => {
    holdTime();
    const { user, host } = openApp("/inbox?id=11", "inbox");
    const allow = await button("Allow once");
    for (let passed = 0; passed < 900; passed += 50) {
      await user.keyboard("{Control>}{Enter}{/Control}{Enter} ");
      await user.click(allow);
      await user.keyboard("{Enter}");
      await pass(50);
    }
    expect(host.sent.filter((item) => item.name === "answer_interaction")).toEqual([]);
    expect(host.inbox.accepted).toEqual([]);
  });
  it("is never given by Enter alone, also when the button has the focus", async () => {
    const { user, host } = openApp("/inbox?id=11", "inbox");
    const allow = await armed("Allow once");
    expect(document.activeElement).not.toBe(allow);
    act(() => allow.focus());
    await user.keyboard("{Enter}{Enter}{Escape}");
    await pause(50);
    expect(host.inbox.accepted).toEqual([]);
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(host.inbox.accepted.map((item) => item.id)).toEqual([11]));
  });
  it("begins its second anew when another question comes under the pointer", async () => {
    const { user, host } = openApp("/inbox?id=11", "inbox");
    const script = asked(70, 2, { ...createIssue, tool: "delete_repository" }, 0);
    await user.click(await armed("Allow once"));
    act(() => host.inbox.ask([script]));
    await waitFor(() => expect(host.inbox.accepted).toHaveLength(1));
    // The next question appears at once, and a second click does nothing.
    await heading(/Send the model’s answer to “ demo ”/);
    const next = await button("Send answer");
    expect(next.disabled).toBe(true);
    await user.click(next);
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(host.inbox.accepted).toHaveLength(1);
  });
  it("carries for how long it counts, and the rule can be forgotten at once", async () => {
    const { user, host } = openApp("/inbox?id=11", "inbox");
    await user.click(await screen.findByRole("radio", { name: "Always" }));
    screen.getByText(/this tool is always denied/);
    screen.getByText(/counts for every caller/);
    expect(screen.getByRole("link", { name: "Manage in Policies" }).getAttribute("href")).toBe("/policies");
    await button("Never allow");
    await user.click(await armed("Always allow"));
    await waitFor(() => expect(host.inbox.accepted).toEqual([{ id: 11, answer: { action: "accept", content: null, remember: "always" } }]));
    const forget = await button("Undo");
    expect(host.inbox.decisions[0]?.remembered).toEqual({ by: "rule", id: 911 });
    await user.click(forget);
    await waitFor(() => expect(host.inbox.decisions[0]?.remembered).toBeNull());
  });
});

describe("an answer that is to be remembered", () => {
  it("is still being answered while its question is gone and its reply is not there", async () => {
    const { user, host } = openApp("/inbox?id=11", "inbox");
    const answer = host.answer_interaction;
    let reply = () => {};
    host.answer_interaction = async (args) => {
      const decision = await answer(args);
      await new Promise<void>((done) => {
        reply = done;
      });
      return decision;
    };
    await user.click(await screen.findByRole("radio", { name: "Always" }));
    await user.click(await armed("Always allow"));
    await waitFor(() => expect(screen.queryByRole("listitem", { name: "github" })).toBeNull());
    expect(screen.queryByText(/already answered|withdrew this question/)).toBeNull();
    expect(screen.queryByText("Allowed and remembered")).toBeNull();
    act(() => reply());
    await screen.findByText("Allowed and remembered");
    await heading(/Send the model’s answer to “ demo ”/);
  });
  it("is said not to be remembered where that failed", async () => {
    const { user, host } = openApp("/inbox?id=11", "inbox");
    host.inbox.remembers = false;
    await user.click(await screen.findByRole("radio", { name: "Always" }));
    await user.click(await armed("Always allow"));
    await screen.findByText(/not remembered\. You’ll be asked again/);
    expect(host.inbox.decisions[0]?.remembered).toBeNull();
  });
});

describe("saying no", () => {
  it("works at once, by key, and is another answer than cancelling", async () => {
    const { user, host } = openApp("/inbox?id=11", "inbox");
    await button("Decline");
    await pause(20);
    await user.keyboard("{Control>}{Backspace}{/Control}");
    await waitFor(() => expect(host.inbox.decisions[0]).toMatchObject({ id: 11, outcome: "declined" }));
    await heading(/Send the model’s answer to “ demo ”/);
    await user.click(await button("Cancel"));
    await waitFor(() => expect(host.inbox.decisions[0]).toMatchObject({ id: 18, outcome: "cancelled" }));
  });
  it("is given to one question by a double press, and to no other that takes its place", async () => {
    const { user, host } = openApp("/inbox?id=11", "inbox");
    const title = () => document.getElementById("question-title")?.textContent ?? "";
    await waitFor(() => expect(title()).not.toBe(""));
    const first = title();
    await longAgo();
    const at = performance.now();
    await user.click(await button(/^Decline/));
    await waitFor(() => expect(title()).not.toBe(first));
    const decided = host.inbox.decisions.length;
    const next = await button(/^Decline/);
    // However long the machine took.
    const now = vi.spyOn(performance, "now").mockReturnValue(at);
    fireEvent.click(next, { detail: 2 });
    now.mockRestore();
    await pause(600);
    expect(host.inbox.decisions).toHaveLength(decided);
    fireEvent.click(await button(/^Decline/), { detail: 1 });
    await waitFor(() => expect(host.inbox.decisions).toHaveLength(decided + 1));
  });
  it("that arrives late leads nobody away from the question they went on to", async () => {
    const { user, host, router } = openApp("/inbox?id=11", "inbox");
    let release = () => {};
    const held = new Promise<void>((done) => {
      release = done;
    });
    const answer = host.answer_interaction.bind(host);
    host.answer_interaction = async (args) => {
      await held;
      return answer(args);
    };
    await button(/^Decline/);
    await longAgo();
    await user.click(await button(/^Decline/));
    await user.click(screen.getByRole("button", { name: /weather/, current: false }));
    const chosen = router.state.location.search;
    expect(chosen).not.toEqual({ id: 11 });
    await act(async () => {
      release();
      await held;
    });
    await waitFor(() => expect(host.inbox.waiting.some((item) => item.id === 11)).toBe(false));
    await pause(50);
    expect(router.state.location.search).toEqual(chosen);
  });
  it("leads the focus on to the next question, and in the end to the word that none waits", async () => {
    const { user } = openApp("/inbox?id=11", "inbox");
    await button(/^Decline/);
    const words = document.getElementById("question-title")?.textContent;
    (await button(/^Decline/)).focus();
    await user.keyboard("{Enter}");
    await waitFor(() => {
      const at = document.activeElement;
      expect(at?.tagName).toBe("H2");
      expect(at?.textContent).not.toBe(words);
    });
  });
  it("counts although the question was not open yet", async () => {
    const { user, host } = openApp("/inbox?id=11", "inbox");
    const open = host.open_interaction;
    let answer: () => void = () => undefined;
    host.open_interaction = async (args) => {
      await new Promise<void>((done) => {
        answer = done;
      });
      return open(args);
    };
    await button("Decline");
    await longAgo();
    await user.click(await button("Decline"));
    expect(host.inbox.decisions[0]?.id).not.toBe(11);
    await act(async () => answer());
    await waitFor(() => expect(host.inbox.decisions[0]).toMatchObject({ id: 11, outcome: "declined" }));
  });
  it("leaves the key that deletes a word to whoever types", async () => {
    const { user, host } = openApp("/inbox?id=12", "inbox");
    await user.click(await screen.findByRole("textbox", { name: "Where to write to" }));
    await user.keyboard("ana{Control>}{Backspace}{/Control}");
    await pause(50);
    expect(host.inbox.waiting.some((item) => item.id === 12)).toBe(true);
  });
});

describe("what can go wrong", () => {
  it.each([
    ["too_early", /Too soon/],
    ["wrong_nonce", /reopened in the meantime/],
    ["not_waiting", /no longer needs an answer/],
    ["store_failed", /the disk is gone/],
  ] as const)("is said plainly: %s", async (code, text) => {
    const { user, host } = openApp("/inbox?id=11", "inbox");
    await armed("Allow once");
    host.inbox.refuses = { code, message: "the disk is gone" };
    await user.click(await button("Allow once"));
    await waitFor(() => expect(screen.getByRole("alert").textContent).toMatch(text));
    expect(host.inbox.accepted).toEqual([]);
  });
  it("says that a question was taken back, and keeps what was entered in sight", async () => {
    const { user, host } = openApp("/inbox?id=12", "inbox");
    await user.type(await screen.findByRole("textbox", { name: "Where to write to" }), "ana@acme.test");
    act(() => void host.inbox.end(12, "withdrawn"));
    await screen.findByText(/The server withdrew this question/);
    screen.getByText(/Copy anything you need/);
    const entered = screen.getByRole<HTMLInputElement>("textbox", { name: "Where to write to" });
    // It can be copied, but not changed any more.
    expect([entered.value, entered.readOnly, entered.disabled]).toEqual(["ana@acme.test", true, false]);
    expect(screen.queryByRole("button", { name: "Review" })).toBeNull();
    await user.click(await button("Continue"));
    await heading(/Send the model’s answer to “ demo ”/);
  });
  it("speaks of no draft where nothing was entered", async () => {
    const { host } = openApp("/inbox?id=11", "inbox");
    await button("Allow once");
    act(() => void host.inbox.end(11, "expired"));
    await screen.findByText(/timed out/);
    await button("Continue");
    expect(screen.queryByText(/Copy anything you need/)).toBeNull();
  });
});

describe("a question that comes while the person is elsewhere", () => {
  it("is announced with the way to it", async () => {
    const { user, host, router } = openApp("/settings");
    await screen.findByText("Vault open · keychain");
    act(() => host.inbox.ask([asked(71, 2, createIssue, 0)]));
    await screen.findByText("A call to “create_issue” of “github” needs your approval");
    await user.click(await button("Open Inbox"));
    await waitFor(() => expect(router.state.location).toMatchObject({ pathname: "/inbox", search: { id: 71 } }));
    expect(host.inbox.accepted).toEqual([]);
  });
  it("is counted in the window's title", async () => {
    const { host } = openApp("/servers");
    await screen.findByRole("grid");
    await waitFor(() => expect(document.title).toBe("Mooring"));
    act(() => host.inbox.ask([asked(71, 2, createIssue, 0)]));
    await waitFor(() => expect(document.title).toBe("Mooring · 1 waiting"));
    act(() => void host.inbox.end(71, "withdrawn"));
    await waitFor(() => expect(document.title).toBe("Mooring"));
  });
});

describe("assistive technology", () => {
  it.each([
    ["inbox", 11],
    ["inbox", 12],
    ["inbox", 13],
    ["inbox", 14],
    ["inbox", 17],
    ["inbox", 18],
    ["inbox_form", 21],
    ["inbox_url", 33],
    ["inbox_answer", 51],
    ["inbox_answer", 52],
    ["inbox_answer", 53],
    ["inbox_answer", 55],
    ["inbox_tool", 26],
    ["inbox_tool", 27],
    ["inbox_tool", 28],
    ["inbox_url", 32],
    ["inbox_url", 34],
    ["inbox_sampling", 42],
    ["inbox_sampling", 43],
    ["inbox_odd", 61],
    ["inbox_queue", 71],
  ] as const)("finds names and roles in %s %d", async (scene, id) => {
    openApp(`/inbox?id=${id}`, scene);
    await screen.findByRole("button", { name: /^(?:Decline|Stop waiting)$/ });
    const { violations } = await axe.run(document.body, {
      rules: { "color-contrast": { enabled: false }, "aria-hidden-focus": { enabled: false }, region: { enabled: false } },
    });
    expect(violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
  });
});
