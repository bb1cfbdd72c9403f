import { readFileSync } from "node:fs";
import { defineConfig, transformWithOxc, type Plugin } from "vite";

const base = "/explore/";

// press builds the frame for maths and diagrams. The frame has no origin, so it cannot load modules
// from this server: it is a separate page with plain scripts, and the files of KaTeX and Mermaid
// are copied unchanged from node_modules.
function press(): Plugin {
  return {
    name: "press",
    apply: "build",
    async generateBundle() {
      const emit = (name: string, source: string): string => base + this.getFileName(this.emitFile({ type: "asset", name, source }));
      const katex = emit("press-maths.js", readFileSync("node_modules/katex/dist/katex.min.js", "utf8"));
      const mermaid = emit("press-diagrams.js", readFileSync("node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js", "utf8"));
      const { code } = await transformWithOxc(readFileSync("src/press/frame.ts", "utf8"), "frame.ts");
      const frame = emit("press-frame.js", `(() => {\n${code}})();\n`);
      this.emitFile({
        type: "asset",
        fileName: "press.html",
        source: `<!doctype html>\n<html lang="en">\n  <head>\n    <meta charset="utf-8">\n    <title>Maths and diagrams</title>\n  </head>\n  <body>\n    <script src="${frame}" data-katex="${katex}" data-mermaid="${mermaid}"></script>\n  </body>\n</html>\n`,
      });
    },
  };
}

// The program itself serves the page below /explore/. Nothing is inlined, because the content
// security policy forbids inline scripts, inline styles and fonts from other hosts.
export default defineConfig({
  base,
  publicDir: false,
  plugins: [press()],
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
