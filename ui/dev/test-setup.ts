// Every test starts with English, a clean page and fresh scripted data.
import { cleanup } from "@testing-library/react";
import { afterEach, beforeEach } from "vitest";
import { applyLanguage, startLanguage } from "@/lib/i18n";
import { reset } from "./mock-bridge";

startLanguage();
beforeEach(() => {
  localStorage.clear();
  applyLanguage("en");
  reset("usual");
});
afterEach(cleanup);
