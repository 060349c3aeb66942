// Every test with a page starts in English, with a clean page and fresh mock data.
import { cleanup, configure, renderHook } from "@testing-library/react";
import type { Window as HappyDom } from "happy-dom";
import { afterAll, afterEach, beforeEach } from "vitest";
import { forgetWidths } from "@/lib/columns";
import { applyLanguage, startLanguage } from "@/lib/i18n";
import { showOverlay } from "@/lib/overlays";
import { forgetPress } from "@/lib/second-press";
import { closeTakeOver } from "@/lib/take-over";
import { dismissToast, useToasts } from "@/lib/toasts";
import { reset } from "./mock-bridge";

declare global {
  interface Window {
    happyDOM?: HappyDom["happyDOM"];
  }
}

// A slow machine must not fail a test, and printing the whole page doesn't help.
configure({ asyncUtilTimeout: 10_000, getElementError: (message) => new Error(message ?? "not found") });
window.happyDOM?.setViewport({ width: 1280, height: 800 });

await startLanguage();
beforeEach(async () => {
  localStorage.clear();
  const { result, unmount } = renderHook(useToasts);
  for (const { id } of result.current) dismissToast(id);
  unmount();
  showOverlay(null);
  closeTakeOver();
  forgetWidths();
  forgetPress();
  await applyLanguage("en");
  reset("usual");
});
afterEach(cleanup);
// The page itself is reused by the next file.
afterAll(() => {
  const { body, documentElement: root, head } = document;
  body.replaceChildren();
  head.replaceChildren();
  document.adoptedStyleSheets = [];
  for (const element of [root, body]) for (const name of element.getAttributeNames()) element.removeAttribute(name);
  localStorage.clear();
  sessionStorage.clear();
  // The simulated clipboard replaced the page's own.
  Reflect.deleteProperty(navigator, "clipboard");
});
