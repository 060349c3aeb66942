// The only module that talks to the window: one invocation, optionally with a channel for its stream.
import { Channel, invoke } from "@tauri-apps/api/core";

/** Sends one command. With `onMessage`, a channel goes along as argument `channel`. */
export function send(name: string, args: Record<string, unknown>, onMessage?: (message: unknown) => void): Promise<unknown> {
  if (!onMessage) return invoke(name, args);
  const channel = new Channel();
  channel.onmessage = onMessage;
  return invoke(name, { ...args, channel });
}
