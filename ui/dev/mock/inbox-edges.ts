// The rarer forms and folders of the Inbox. Scene: inbox_edges.
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import { question } from "./recorded";

type Question<K extends InteractionQuestion["kind"]> = Extract<InteractionQuestion, { kind: K }>;

export const noFields = question("noFields", "form");
/** A list that opens, several lines, a secret of digits, and as many of several as one likes. */
const rare = question("rareFields", "form");
export const rareFields: Question<"form"> = {
  ...rare,
  oddities: rare.oddities.map((oddity) =>
    oddity.path === "requestedSchema.if" ? { ...oddity, path: "requestedSchema.allOf", asked: `[{"if":${oddity.asked}}]` } : oddity,
  ),
};
/** Optional values, lists, values of several types, and choices that are no texts. */
export const wideFields = question("wideFields", "form");

const path = "/srv/harbour/a-folder-with-a-very-long-name-that-goes-on/and-on/until-it-no-longer-fits/on-one-line/charts-2026";
const folders = question("folders", "roots");
export const oneFolder: Question<"roots"> = { ...folders, folders: folders.folders.map((folder) => ({ ...folder, path })) };
