// Unit tests with the mock transport as the window's backend: `*.test.ts` run without a page, `*.test.tsx` in
// happy-dom.
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
    // One process runs many files and loads React and the page once. dev/test-file.ts clears what a file leaves behind.
    isolate: false,
    // These tests read the real style sheets.
    css: { include: [/(tokens|app)\.css/] },
    testTimeout: 30_000,
    // The default leaves one core free, which is half of those in CI.
    maxWorkers: "100%",
    restoreMocks: true,
    projects: [
      {
        extends: true,
        test: {
          name: "plain",
          include: ["src/**/*.test.ts"],
          setupFiles: ["./dev/test-file.ts", "./dev/test-setup-plain.ts"],
          sequence: { groupOrder: 0, setupFiles: "list" },
        },
      },
      {
        extends: true,
        test: {
          name: "page",
          environment: "happy-dom",
          include: ["src/**/*.test.tsx"],
          setupFiles: ["./dev/test-file.ts", "./dev/test-setup.ts"],
          // A process only runs files of one group.
          sequence: { groupOrder: 1, setupFiles: "list" },
        },
      },
    ],
  },
});
