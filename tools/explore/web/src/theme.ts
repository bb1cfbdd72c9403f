// The light or dark theme: the user's choice stored in this browser, else the setting of the
// system. The page's data-theme attribute is always "light" or "dark". Scripts that read colours listen for the event "themechange".

import { useCallback, useState } from "preact/hooks";
import { keep, kept } from "./kept.ts";
import { useEvent } from "./state.ts";

export type Theme = "light" | "dark";

const system = matchMedia("(prefers-color-scheme: dark)");
let chosen: Theme | undefined;

/**
 * keepTheme applies the theme before anything is drawn, and again when the system setting changes.
 */
export function keepTheme(): void {
  const theme = kept("theme");
  chosen = theme === "light" || theme === "dark" ? theme : undefined;
  settle();
  system.addEventListener("change", settle);
}

/** useTheme returns the current theme, and a function that switches to the other one. */
export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState(shown);
  useEvent("themechange", () => setTheme(shown()));
  const flip = useCallback(() => {
    chosen = shown() === "dark" ? "light" : "dark";
    settle();
    keep("theme", chosen);
  }, []);
  return [theme, flip];
}

function settle(): void {
  document.documentElement.dataset["theme"] = chosen ?? (system.matches ? "dark" : "light");
  dispatchEvent(new Event("themechange"));
}

function shown(): Theme {
  return document.documentElement.dataset["theme"] === "dark" ? "dark" : "light";
}
