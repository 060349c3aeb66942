// A bundle as an entry of an import, for the form that asks for its values.
import type { BundleReview } from "@/ipc/bindings/BundleReview";
import type { ImportEntry } from "@/ipc/bindings/ImportEntry";

export const entryOf = (review: BundleReview): ImportEntry => ({
  name: review.name,
  server: review.server,
  inputs: review.inputs,
  problem: null,
  line: null,
  column: null,
  exists: false,
  off: false,
  alternative: false,
  notes: [],
  incomplete: false,
  sealed: [],
});
