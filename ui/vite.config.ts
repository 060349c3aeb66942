// Builds the window's pages. Mode `mock` swaps the IPC transport for a scripted one (see dev/).
import { fileURLToPath } from "node:url";
import babel from "@rolldown/plugin-babel";
import tailwindcss from "@tailwindcss/vite";
import react, { reactCompilerPreset } from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig(({ mode }) => {
  const mock = mode === "mock";
  return {
    plugins: [react(), babel({ presets: [reactCompilerPreset()] }), tailwindcss()],
    resolve: {
      alias: [
        { find: "@/ipc/transport", replacement: here(mock ? "./dev/mock-bridge.ts" : "./src/ipc/transport.ts") },
        { find: "@", replacement: here("./src") },
      ],
    },
    clearScreen: false,
    server: { port: mock ? 1420 : 5173, strictPort: true, host: mock ? "127.0.0.1" : "localhost" },
    preview: { port: 1421, strictPort: true, host: "127.0.0.1" },
    build: {
      target: ["safari16.4", "chrome120"],
      outDir: mock ? "../target/ui-mock" : "dist",
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 900,
    },
  };
});
