// Unit tests run in happy-dom, with the scripted transport standing in for the window's backend.
import { fileURLToPath } from "node:url";
import babel from "@rolldown/plugin-babel";
import react, { reactCompilerPreset } from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [react(), babel({ presets: [reactCompilerPreset()] })],
  resolve: {
    alias: [
      { find: "@/ipc/transport", replacement: here("./dev/mock-bridge.ts") },
      { find: "@dev", replacement: here("./dev") },
      { find: "@", replacement: here("./src") },
    ],
  },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["./dev/test-setup.ts"],
    // Their tests read the real style sheets.
    css: { include: [/(tokens|app)\.css/] },
    testTimeout: 30_000,
    // Left to itself it keeps one core free, which is half of what CI has.
    maxWorkers: "100%",
    restoreMocks: true,
  },
});
