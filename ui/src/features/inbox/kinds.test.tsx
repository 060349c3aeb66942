import "@/features/inbox/inbox-screen";
import { moveTime, pass } from "@dev/clock";
import { said } from "@dev/mock/say";
import { openApp } from "@dev/render";
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";

const heading = (name: RegExp | string) => screen.findByRole("heading", { level: 2, name });
const button = (name: RegExp | string) => screen.findByRole<HTMLButtonElement>("button", { name });
const armed = async (name: string) => {
  // The waiting second begins when the question is open.
  await waitFor(async () => {
    await pass(250);
    expect((await button(name)).disabled).toBe(false);
  });
  return button(name);
};

beforeEach(moveTime);

describe("an address", () => {
  // Requirements: ELIC-22, ELIC-23, ELIC-27.
  it("is opened, once more only if the person wants it, and then waits for the server or for the person's word that it is done", async () => {
    const { user, host } = openApp("/inbox?id=31", "inbox_url");
    await heading(/Open example\.co\.uk/);
    expect(screen.getByRole("group", { name: "Full URL" }).textContent).toBe(
      "https://pay.harbour-fees.example.co.uk/checkout?session=cs_9f31b2&return=mooring",
    );
    await user.click(await armed("Open in browser"));
    await screen.findByText(/Opened in the browser\. Waiting for/);
    expect(screen.queryByRole("button", { name: "Open in browser" })).toBeNull();
    await user.click(await armed("Open again"));
    await waitFor(() => expect(host.inbox.retried).toEqual([31]));
    await user.click(await armed("Done, continue"));
    await heading(/Open xn--pple-43d\.com/);
    expect(host.inbox.accepted.map((item) => item.id)).toEqual([31, 31]);
  });
  // Requirements: ELIC-27.
  it("that the browser does not open can be copied, opened again or left", async () => {
    const { user, host } = openApp("/inbox?id=35", "inbox_url");
    await heading(/Couldn’t open example\.co\.uk/);
    expect((await screen.findByRole("alert")).textContent).toContain("The browser couldn’t be started: No such file or directory");
    expect(screen.queryByText(/Opened in the browser\. Waiting for/)).toBeNull();
    const copied = vi.spyOn(navigator.clipboard, "writeText");
    await user.click(await button("Copy URL"));
    expect(copied).toHaveBeenCalledWith("https://pay.harbour-fees.example.co.uk/checkout?session=cs_9f31b2&return=mooring");
    await user.click(await armed("Open again"));
    await screen.findByText(/Opened in the browser\. Waiting for/);
    expect(host.inbox.retried).toEqual([35]);
    expect(host.inbox.accepted).toEqual([]);
  });
  // Requirements: ELIC-27.
  it("that nobody waits for any more is left with a word, and stays in sight where something went wrong", async () => {
    const { user, host } = openApp("/inbox?id=31", "inbox_url");
    await user.click(await armed("Open in browser"));
    await screen.findByText(/Opened in the browser\. Waiting for/);
    act(() => host.inbox.change(31, { problem: said("the browser couldn’t be started: {reason}", { reason: "no display" }) }));
    await screen.findByRole("alert");
    act(() => void host.inbox.end(31, "withdrawn"));
    await screen.findByText(/The server withdrew this question/);
    await heading(/Couldn’t open example\.co\.uk/);
    await user.click(await button("Continue"));
    await heading(/Open xn--pple-43d\.com/);
    await user.click(await armed("Open anyway"));
    await screen.findByText(/Opened in the browser\. Waiting for/);
    act(() => void host.inbox.end(32, "withdrawn"));
    await screen.findByText("No request is waiting for “xn--pple-43d.com” anymore");
    expect(screen.queryByRole("heading", { level: 2, name: /xn--pple/ })).toBeNull();
  });
  it("that was agreed to is no longer counted among what waits, until it could not be opened", async () => {
    const { user, host } = openApp("/inbox?id=31", "inbox_url");
    await armed("Open in browser");
    const before = Number(/(\d+)/.exec(document.title)?.[1]);
    await user.click(await armed("Open in browser"));
    await waitFor(() => expect(document.title).toContain(String(before - 1)));
    expect(screen.getByRole("contentinfo", { name: "Status" }).textContent).toContain(`${before - 1} waiting`);
    act(() => host.inbox.change(31, { problem: said("the browser couldn’t be started: {reason}", { reason: "no display" }) }));
    await waitFor(() => expect(document.title).toContain(String(before)));
  });
  // Requirements: ELIC-25.
  it("shows what its name imitates, and is never opened where that is refused", async () => {
    const { user, host } = openApp("/inbox?id=32", "inbox_url");
    await screen.findByText(/mixes several alphabets/);
    // One notice: what it can be mistaken for, then why.
    const signs = within(screen.getByRole("region", { name: "Before you open this link" }));
    expect(signs.getByText(/looks like/).textContent).toContain("Its host name looks like www.apple.com, but isn’t.");
    expect(signs.getAllByRole("listitem").map((item) => item.textContent)).toEqual([
      "Its host name mixes several alphabets.",
      "Its host name contains letters that look like others: www.аpple.com.",
    ]);
    // The safe answer is highlighted, and no key opens it.
    const open = await armed("Open anyway");
    expect(open.getAttribute("aria-keyshortcuts")).toBeNull();
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(host.inbox.accepted).toEqual([]);
    expect((await button("Decline")).className).toContain("bg-accent");
    await user.keyboard("j");
    await screen.findByText("Mooring doesn’t open this link.");
    await pass(1_100);
    expect(screen.getByText(/^Only https:\/\/ is opened, never/).textContent).toContain("Only https:// is opened, never javascript.");
    expect(screen.getByText("javascript").closest("[data-theirs]")).not.toBeNull();
    expect(screen.queryByRole("button", { name: "Open in browser" })).toBeNull();
    screen.getByText(/^This link can’t be opened\.$/);
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(host.inbox.accepted).toEqual([]);
    await user.click(await button("Decline"));
    await waitFor(() => expect(host.inbox.waiting.some((item) => item.id === 33)).toBe(false));
  });
});

describe("a model", () => {
  it("is not asked what cannot be taken, and the reason is said", async () => {
    const { user, host } = openApp("/inbox?id=13", "inbox");
    await heading(/Let “ docs-search ” use a model/);
    host.inbox.refuses = {
      code: "invalid_answer",
      message: "the answer can have 1 to 100 tokens, as the server asked",
      details: { mistakes: [] },
    };
    await user.click(await armed("Ask model"));
    expect((await screen.findByRole("alert")).textContent).toContain("the answer can have 1 to 100 tokens, as the server asked");
    expect(host.inbox.accepted).toEqual([]);
  });
  it("gets what it was asked byte for byte, unless the person edits it", async () => {
    const { user, host } = openApp("/inbox?id=13", "inbox");
    await heading(/Let “ docs-search ” use a model/);
    screen.getByText("sent to");
    screen.getByText("api.anthropic.com");
    await user.click(await armed("Ask model"));
    await waitFor(() => expect(host.inbox.accepted).toEqual([{ id: 13, answer: { action: "accept", content: null, remember: "once" } }]));
  });
  it("gets the words, limits and place that the person chose", async () => {
    const { user, host } = openApp("/inbox?id=13", "inbox");
    await heading(/Let “ docs-search ” use a model/);
    await user.click(await button("Edit"));
    const system = screen.getByRole("textbox", { name: "System" });
    await user.clear(system);
    await user.type(system, "Be brief.");
    await user.type(screen.getByRole("textbox", { name: "User 1" }), " Thanks.");
    await user.clear(screen.getByRole("textbox", { name: "Answer limit" }));
    await user.type(screen.getByRole("textbox", { name: "Answer limit" }), "64");
    screen.getByText(/wants to send this to a model, with your changes/);
    await user.click(await armed("Ask model"));
    await waitFor(() => expect(host.inbox.accepted).toHaveLength(1));
    const { answer } = host.inbox.accepted[0]!;
    const sent: unknown = JSON.parse(answer.action === "accept" ? (answer.content ?? "") : "");
    expect(sent).toMatchObject({
      system: "Be brief.",
      maxTokens: 64,
      provider: 1,
      model: "claude-sonnet-5",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Summarise the three newest notices to mariners and say which berths they touch. Thanks." },
            { type: "image" },
          ],
        },
        { role: "assistant" },
        { role: "user" },
        { role: "user", content: [{ type: "audio", mimeType: "audio/wav" }] },
      ],
    });
  });
  it("that is none is named, and nothing is said to leave", async () => {
    const { user } = openApp("/inbox?id=41", "inbox_sampling");
    await screen.findByText("What leaves this computer");
    await user.click(screen.getByRole("combobox", { name: "Model" }));
    await user.click(await screen.findByRole("option", { name: "Practice model" }));
    await screen.findByText("What the model receives");
    expect(screen.queryByText("What leaves this computer")).toBeNull();
    screen.getByText("stays on this computer");
  });
  it("cannot be asked where none can take it", async () => {
    openApp("/inbox?id=42", "inbox_sampling");
    await screen.findByText("No model can answer this request");
    await pass(1_100);
    expect((await button("Ask model")).disabled).toBe(true);
    expect((await button("Decline")).disabled).toBe(false);
  });
  it("is not asked on a budget that is used up, until that is raised", async () => {
    const { user, host } = openApp("/inbox?id=43", "inbox_sampling");
    await screen.findByText("Not enough budget:");
    await pass(1_100);
    expect((await button("Ask model")).disabled).toBe(true);
    screen.getByText(/budget is left today\. Decline, or raise it\./);
    await user.click(screen.getByRole("link", { name: "Open Models" }));
    await screen.findByRole("heading", { name: "Models", level: 1 });
    await act(() => host.models.allow({ server: 2, enabled: true, requestsPerMinute: null, tokensPerDay: 900_000, costPerDay: "5" }));
    await user.click(screen.getByRole("link", { name: /^Inbox/ }));
    await user.click(await screen.findByRole("button", { name: /github/ }));
    await user.click(await armed("Ask model"));
    await waitFor(() => expect(host.inbox.accepted.map(({ id }) => id)).toEqual([43]));
  });
  it("is listened to while it speaks; its answer is handed over a second after it ended", async () => {
    const { user, host } = openApp("/inbox?id=52", "inbox_answer");
    await screen.findByText("Buoy 7 is unlit and the east");
    await pass(1_100);
    expect((await button("Send answer")).disabled).toBe(true);
    act(() => host.inbox.change(52, { streaming: false, content: ['{"type":"text","text":"Buoy 7 is unlit."}'] }));
    await screen.findByText("Buoy 7 is unlit.");
    expect((await button("Send answer")).disabled).toBe(true);
    await user.click(await button("Edit"));
    await user.type(screen.getByRole("textbox", { name: "Answer" }), " Take care.");
    await user.click(await armed("Send answer"));
    await waitFor(() =>
      expect(host.inbox.accepted).toEqual([
        {
          id: 52,
          answer: { action: "accept", content: '{"content":[{"type":"text","text":"Buoy 7 is unlit. Take care."}]}', remember: "once" },
        },
      ]),
    );
  });
  it("answers a server unseen for as long as the person says", async () => {
    const { user, host } = openApp("/inbox?id=51", "inbox_answer");
    await user.click(await screen.findByRole("radio", { name: "1 hour" }));
    screen.getByText(/answers are sent to this server automatically for 1 hour/);
    await user.click(await armed("Send for 1 hour"));
    await waitFor(() => expect(host.inbox.accepted).toEqual([{ id: 51, answer: { action: "accept", content: null, remember: "hour" } }]));
  });
  it("has nothing to remember while it speaks or where it failed", async () => {
    const { user } = openApp("/inbox?id=52", "inbox_answer");
    await screen.findByText("Buoy 7 is unlit and the east");
    expect(screen.queryByRole("radiogroup", { name: "Remember" })).toBeNull();
    await user.keyboard("j");
    await screen.findByText("No answer to send");
    await heading(/Model didn’t answer “ weather ”/);
    expect(screen.queryByRole("button", { name: "Send answer" })).toBeNull();
    expect(screen.queryByRole("radiogroup", { name: "Remember" })).toBeNull();
  });
  it("finds what was changed at the first gate as it was left", async () => {
    const { user, host } = openApp("/inbox?id=41", "inbox_sampling");
    await heading(/Let “ docs-search ” use a model/);
    await user.click(await button("Edit"));
    await user.type(screen.getByRole("textbox", { name: "System" }), " Be kind.");
    await user.type(screen.getByRole("textbox", { name: "User 1" }), " Thanks.");
    await user.clear(screen.getByRole("textbox", { name: "Answer limit" }));
    await user.type(screen.getByRole("textbox", { name: "Answer limit" }), "64");
    // Immediately to another question: the last input is saved anyway.
    await user.click(screen.getByRole("button", { name: /demo/, current: false }));
    await heading(/Let “ demo ” use a model/);
    await waitFor(() => expect(host.inbox.drafts.get(41)).toContain("Thanks."));
    expect(host.inbox.drafts.get(41)).not.toContain("audio/wav");
    await user.click(screen.getByRole("button", { name: /docs-search/, current: false }));
    await heading(/Let “ docs-search ” use a model/);
    screen.getByText(/Never mention prices\. Be kind\.$/);
    screen.getByText(/wants to send this to a model, with your changes/);
    await user.click(await armed("Ask model"));
    await waitFor(() => expect(host.inbox.accepted).toHaveLength(1));
    const { answer } = host.inbox.accepted[0]!;
    const sent = answer.action === "accept" ? (answer.content ?? "") : "";
    expect(JSON.parse(sent)).toMatchObject({
      maxTokens: 64,
      messages: [
        { content: [{ text: expect.stringMatching(/ Thanks\.$/) }, { type: "image" }] },
        {},
        {},
        { content: [{ type: "audio", mimeType: "audio/wav" }] },
      ],
    });
    expect(sent).toContain('"mimeType":"audio/wav"');
  });
  it("has its answer as it was changed at the second gate", async () => {
    const { user, host } = openApp("/inbox?id=51", "inbox_answer");
    await user.click(await button("Edit"));
    await user.type(screen.getByRole("textbox", { name: "Answer" }), " Take care.");
    await user.keyboard("{Escape}");
    await user.click(screen.getByRole("button", { name: /postgres-prod/, current: false }));
    await heading(/Send the model’s answer to “ postgres-prod ”/);
    await waitFor(() => expect(host.inbox.drafts.get(51)).toContain("Take care."));
    await user.click(screen.getByRole("button", { name: /docs-search/, current: false }));
    await screen.findByText(/not touched\. Take care\.$/);
    await user.click(await button("Reset"));
    await waitFor(() => expect(host.inbox.drafts.get(51)).toBe("{}"));
    expect(screen.queryByText(/draft saved/)).toBeNull();
  });
  it("is asked once more where it did not answer", async () => {
    const { user } = openApp("/inbox?id=53", "inbox_answer");
    await user.click(await armed("Try again").catch(() => button("Try again")));
    await screen.findByText(/Second try/, undefined, { timeout: 5_000 });
    await armed("Send answer");
  });
});

describe("a tool", () => {
  it("of which more was said than is shown is marked", async () => {
    const { user } = openApp("/inbox?id=61", "inbox_odd");
    await screen.findByText(/^Description shortened$/);
    await user.keyboard("j");
    await heading(/“ postgres-prod ” asks you/);
    expect(screen.queryByText(/^Description shortened$/)).toBeNull();
  });
});

describe("folders", () => {
  it("are shared as they are listed, for as long as the person says", async () => {
    const { user, host } = openApp("/inbox?id=14", "inbox");
    await heading("Share 2 folders with “ filesystem ”?");
    screen.getByText("/home/ana/projects/harbour");
    // A folder that is missing now would not be shared.
    screen.getByText("/media/ana/CHARTS", { selector: "bdi" });
    expect(screen.getAllByText(/^Not shared:/)).toHaveLength(1);
    await user.click(within(screen.getByRole("radiogroup", { name: "Remember" })).getByRole("radio", { name: "Until Mooring quits" }));
    await user.click(await armed("Share until Mooring quits"));
    await waitFor(() =>
      expect(host.inbox.accepted).toEqual([{ id: 14, answer: { action: "accept", content: null, remember: "session" } }]),
    );
    // The question behind it moves up.
    await waitFor(() => expect(host.inbox.waiting.find((item) => item.id === 15)?.position).toBe(0));
  });
});
