// Builds the window's pages. Mode `mock` replaces the IPC transport with a mock (see dev/).
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import babel from "@rolldown/plugin-babel";
import tailwindcss from "@tailwindcss/vite";
import react, { reactCompilerPreset } from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Inlines the tokens in the page, so that its first frame waits for no file. */
const tokensInPage: Plugin = {
  name: "tokens-in-page",
  transformIndexHtml: {
    order: "pre",
    handler: (html) => html.replace("/* tokens */", () => readFileSync(here("./src/styles/tokens.css"), "utf8")),
  },
};

/** Loads the main font with the code, not when the code first draws text. */
const fontWithCode: Plugin = {
  name: "font-with-code",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((file) => file.includes("inter-latin-wght-normal"))
        .map((file) => ({
          tag: "link",
          injectTo: "head",
          attrs: { rel: "preload", as: "font", type: "font/woff2", crossorigin: true, href: `/${file}` },
        })),
  },
};

export default defineConfig(({ mode }) => {
  const mock = mode === "mock";
  return {
    plugins: [react(), babel({ presets: [reactCompilerPreset()] }), tailwindcss(), tokensInPage, fontWithCode],
    resolve: {
      alias: [
        { find: "react-remove-scroll", replacement: here("./src/lib/scroll-lock.tsx") },
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
