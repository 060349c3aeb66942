// Rare forms and folders in the Inbox. Scene: inbox_edges.
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import { question } from "./recorded";

type Question<K extends InteractionQuestion["kind"]> = Extract<InteractionQuestion, { kind: K }>;

export const noFields = question("noFields", "form");
/** A dropdown, multi-line text, a secret of digits, and a list of choices without limits. */
const rare = question("rareFields", "form");
export const rareFields: Question<"form"> = {
  ...rare,
  oddities: rare.oddities.map((oddity) =>
    oddity.path === "requestedSchema.if" ? { ...oddity, path: "requestedSchema.allOf", asked: `[{"if":${oddity.asked}}]` } : oddity,
  ),
};
/** Optional values, lists, values of several types, and choices that aren't text. */
export const wideFields = question("wideFields", "form");

const path = "/srv/harbour/a-folder-with-a-very-long-name-that-goes-on/and-on/until-it-no-longer-fits/on-one-line/charts-2026";
const folders = question("folders", "roots");
export const oneFolder: Question<"roots"> = { ...folders, folders: folders.folders.map((folder) => ({ ...folder, path })) };
