// The only module that calls the window: one invocation, optionally with a channel for its stream.
import { Channel, invoke } from "@tauri-apps/api/core";

/** Sends a command. With `onMessage`, a channel is passed as the argument `channel`. */
export function send(name: string, args: Record<string, unknown>, onMessage?: (message: unknown) => void): Promise<unknown> {
  if (!onMessage) return invoke(name, args);
  const channel = new Channel();
  channel.onmessage = onMessage;
  return invoke(name, { ...args, channel });
}
