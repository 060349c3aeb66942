// Starts a call and brings it to the front.
import { type RunRequest, startRun } from "./runs";
import { followLatest, showTab } from "./selection";

export function begin(request: RunRequest): void {
  startRun(request);
  followLatest(request.server.id, request.target);
  showTab("result");
}
