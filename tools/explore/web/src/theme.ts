// Light or dark: what was chosen in this browser, else what its system says.
// The page's data-theme is always one of the two, so that theme.css has each
// list of colours once; who reads colours with a script hears "themechange".

import { useCallback, useEffect, useState } from "preact/hooks";

export type Theme = "light" | "dark";

const key = "hence.theme";
const system = matchMedia("(prefers-color-scheme: dark)");
let chosen: Theme | undefined;

/** keepTheme settles light or dark before anything is drawn, and again when the system changes. */
export function keepTheme(): void {
  chosen = stored();
  settle();
  system.addEventListener("change", settle);
}

/** useTheme is what the page is just now, and the way to the other. */
export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState(shown);
  useEffect(() => {
    const changed = (): void => setTheme(shown());
    addEventListener("themechange", changed);
    return () => removeEventListener("themechange", changed);
  }, []);
  const flip = useCallback(() => {
    chosen = shown() === "dark" ? "light" : "dark";
    settle();
    try {
      localStorage.setItem(key, chosen);
    } catch {
      // private windows keep nothing: the choice holds until the page closes
    }
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

function stored(): Theme | undefined {
  try {
    const theme = localStorage.getItem(key);
    return theme === "light" || theme === "dark" ? theme : undefined;
  } catch {
    return undefined;
  }
}
