import { defineConfig } from "vite";

// The page is served below /explore/ from the program itself. Nothing is
// inlined, because the content security policy lets no inline script, style or
// foreign font run.
export default defineConfig({
  base: "/explore/",
  publicDir: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "dist",
    target: "es2022",
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 900,
  },
});
