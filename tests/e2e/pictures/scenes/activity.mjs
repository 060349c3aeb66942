// Activity: the events of every connection, filtered, opened, and when they can't be read.

import { address } from "../../person.mjs";
import { runDemo } from "../demo.mjs";

export const screen = "Activity";

/** The mock backend's long log, which gets no new events. */
const log = "&log=long";
/** Opens a row, counted from the newest, which is last. Rows at the other end are outside the visible area. */
const row = (index) => (visitor) => visitor.clickCss("main [role=row]", index);
const kind = (name) => ({ at: `/activity?kind=${name}`, query: log });
/** The newest event of a kind, opened. */
const opened = (name, index = -1) => ({ ...kind(name), act: row(index) });

export const scenes = {
  "activity-nothing": { scene: "empty", at: "/activity", query: "&log=empty" },
  activity: { at: "/activity", query: log, list: true },
  "activity-own-journal": { at: "/activity" },
  "activity-filtered": { at: "/activity?method=tools/call&direction=out", query: log },
  "activity-filtered-to-nothing": { at: "/activity?text=zeppelin", query: log },
  "activity-filter-open": { at: "/activity", query: log, act: (visitor) => visitor.clickNamed("button", visitor.t("activity:filter.add")) },
  "activity-paused": { at: "/activity", query: log, act: (visitor) => visitor.press("Space") },
  "activity-unread": { at: "/activity", query: "&log=failing" },
  "activity-stderr": kind("stderr"),
  "activity-decisions": kind("verdict"),
  "activity-states": kind("state"),
  "activity-gaps": kind("gap"),
  "activity-diagnostics": kind("diagnostic"),
  "activity-message-open": opened("frame", -3),
  "activity-call-open": { at: "/activity?method=tools/call", query: log, act: row(-2), list: true },
  "activity-hit": { at: "/activity?text=harbour.berth&method=tools/call", query: log, act: row(-1) },
  "activity-app": { at: "/activity?app=cursor" },
  "activity-app-call": { at: "/activity?app=cursor", act: row(-2) },
  "activity-stderr-open": opened("stderr"),
  "activity-decision-open": opened("verdict"),
  "activity-state-open": opened("state"),
  "activity-gap-open": opened("gap"),
  "activity-diagnostic-open": opened("diagnostic"),
};

export const inWindow = {
  activity: async (place) => {
    const { session, t } = place;
    await runDemo(place, "structured");
    await address(session, "/activity");
    await session.byRole("row", new RegExp(`Demo.*${t("activity:say.calls")} structured.*tools/call`));
  },
  "activity-detail": async ({ session, t }) => {
    await address(session, "/activity?method=tools/call");
    // The list gets no more events after the last call.
    const calls = (tool) => new RegExp(`${t("activity:say.calls")} ${tool}.*tools/call`);
    await session.byRole("row", calls("structured"));
    await session.settled();
    await (await session.byRole("row", calls(""))).click();
    await session.shows(t("activity:detail.raw"));
    await session.shows("jsonrpc");
  },
};
