// Sentences of the scripted backend, which have their English only.
import type { Sentence } from "@/ipc/bindings/Sentence";

export const say = (text: string): Sentence => ({ code: "{quoted}", params: { quoted: text }, text });
