// Small choices that stay in this browser. Where storage is unavailable, as in private windows, they
// last until the page closes.

const room = "hence.";
const now = new Map<string, string>();

export function kept(name: string): string {
  try {
    return now.get(name) ?? localStorage.getItem(room + name) ?? "";
  } catch {
    return "";
  }
}

export function keep(name: string, value: string): void {
  now.set(name, value);
  try {
    localStorage.setItem(room + name, value);
  } catch {
    // see above
  }
}
