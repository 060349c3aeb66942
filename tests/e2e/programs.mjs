// Programs that a test starts: their first output, and their end.

import { once } from "node:events";

/** Asks a program to end and waits for it. Kills it if it doesn't react. */
export async function ended(child, grace = 5_000) {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), grace);
  await gone;
  clearTimeout(timer);
}

/** A program's first output, when it is ready. Fails if it can't start or ends before that. */
export async function firstWords(child, stream, name) {
  const failed = once(child, "error").then(([error]) => Promise.reject(error));
  const gone = once(child, "exit").then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`)));
  for (const later of [failed, gone]) later.catch(() => {}); // it ends eventually, when this no longer matters
  const [words] = await Promise.race([once(stream, "data"), failed, gone]);
  return String(words).trim();
}
