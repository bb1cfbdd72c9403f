// Requests to the program. Every answer is the structured result of a tool, plus the number of the
// change that the request made, if any. An error is thrown as a Fault, which says what happened and
// what the user can do.

import type { About, GetResult, Memory } from "./types.ts";

const mends: Record<string, string> = {
  offline: "Is hence still running? Start it again and try once more.",
  not_found: "It may have been purged, or the address belongs to another store. Search for it by its words.",
  ambiguous: "Pick the one that is meant.",
  read_only: "This store is shown for reading only.",
  conflict: "Something changed in the meantime. Reload the view and look again.",
  unavailable: "The store is busy or cannot be read just now. Try again in a moment.",
  internal: "That is a fault of the program; its own output says more.",
};

export class Fault extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: Record<string, unknown>;

  constructor(code: string, message: string, status: number, details: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = details;
  }

  /** mend returns advice on what the user can do; "" if the message needs no addition. */
  get mend(): string {
    return mends[this.code] ?? "";
  }
}

/** Refused is thrown if the token is missing or wrong (status 401). */
export class Refused extends Fault {
  readonly tried: boolean; // whether a token was sent

  constructor(tried: boolean) {
    super("unauthorized", tried ? "That token was refused." : "A token is needed.", 401);
    this.tried = tried;
  }
}

const tokenKey = "hence.token";

/** keepToken moves a token from the fragment of the URL into the session storage of this tab. */
export function keepToken(): void {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  sessionStorage.setItem(tokenKey, token);
  history.replaceState(history.state, "", location.pathname + location.search);
}

export function setToken(token: string): void {
  if (token === "") sessionStorage.removeItem(tokenKey);
  else sessionStorage.setItem(tokenKey, token);
}

/**
 * parse parses JSON. An integer outside JavaScript's safe range is returned as its source text, in
 * browsers that provide it.
 */
export function parse(text: string): unknown {
  const exactly = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) ? (context?.source ?? value) : value;
  return /\d{16}/.test(text) ? JSON.parse(text, exactly) : JSON.parse(text);
}

const base = "/explore/api/";
const plainly: RequestInit = { cache: "no-store", credentials: "omit", redirect: "error" };

/** authorized returns the headers with the token of this tab added, if it has one. */
function authorized(init?: HeadersInit): Headers {
  const headers = new Headers(init);
  const token = sessionStorage.getItem(tokenKey) ?? "";
  if (token !== "") headers.set("Authorization", "Bearer " + token);
  return headers;
}

async function ask<T>(place: string, init: RequestInit): Promise<T> {
  const headers = authorized(init.headers);
  let response: Response;
  try {
    response = await fetch(base + place, { ...plainly, ...init, headers });
  } catch (e) {
    if (e instanceof DOMException && e.name === "AbortError") throw e;
    throw new Fault("offline", "The program does not answer.", 0);
  }
  if (response.status === 401) throw new Refused(headers.has("Authorization"));
  const body: unknown = await response.text().then(parse).catch((e: unknown) => {
    if (e instanceof DOMException && e.name === "AbortError") throw e;
    return null;
  });
  const error = (body as { error?: { code?: string; message?: string; details?: Record<string, unknown> } } | null)?.error;
  if (!response.ok || error) {
    throw new Fault(error?.code ?? "internal", error?.message ?? `The program answered with ${response.status}.`, response.status, error?.details);
  }
  const change = Number(response.headers.get("Hence-Change"));
  return (change > 0 ? { ...(body as object), change } : body) as T;
}

export function about(signal?: AbortSignal): Promise<About> {
  return ask<About>("about", { method: "GET", signal: signal ?? null });
}

/** post calls one of the explorer's own endpoints, such as edges, stale, journal, days or undo. */
export function post<T>(place: string, args: object, signal?: AbortSignal): Promise<T> {
  return ask<T>(place, { method: "POST", body: JSON.stringify(args), headers: { "Content-Type": "application/json" }, signal: signal ?? null });
}

/** Heard is one event of the event stream. */
export interface Heard {
  event: string;
  id: string;
  data: string;
}

/**
 * eventsOf parses the complete events in the received text, and returns them with the incomplete
 * rest.
 */
export function eventsOf(text: string): { events: Heard[]; rest: string } {
  const blocks = text.split("\n\n");
  const rest = blocks.pop()!;
  const events: Heard[] = [];
  for (const block of blocks) {
    const e: Heard = { event: "message", id: "", data: "" };
    for (const line of block.split("\n")) {
      const [, name, value] = /^(event|id|data): ?(.*)$/.exec(line) ?? [];
      if (name !== undefined) e[name as keyof Heard] = value!;
    }
    if (e.data !== "") events.push(e);
  }
  return { events, rest };
}

const silence = 50_000; // milliseconds without data after which a stream counts as dead; the program sends something every 20 seconds

/**
 * listen reads the event stream, from the event after lastID, and calls heard for each event until
 * the stream ends. It uses fetch because an EventSource cannot send the token.
 */
export async function listen(lastID: string, heard: (e: Heard) => void, signal: AbortSignal): Promise<void> {
  const headers = authorized({ Accept: "text/event-stream" });
  if (lastID !== "") headers.set("Last-Event-ID", lastID);
  const dead = new AbortController();
  let timer = setTimeout(() => dead.abort(), silence);
  try {
    const response = await fetch(base + "events", { ...plainly, headers, signal: AbortSignal.any([signal, dead.signal]) });
    if (response.status === 401) throw new Refused(headers.has("Authorization"));
    if (!response.ok || !response.body) throw new Fault("unavailable", "The program does not tell what changes.", response.status);
    const text = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ;) {
      const { done, value } = await text.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => dead.abort(), silence);
      const got = eventsOf(rest + value);
      rest = got.rest;
      got.events.forEach(heard);
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * file returns the content of a vault file by the id of its memory; it fails if the program does
 * not serve the file.
 */
export async function file(id: string, signal?: AbortSignal): Promise<Blob> {
  const response = await fetch(base + "file?id=" + encodeURIComponent(id), { ...plainly, cache: "default", headers: authorized(), signal: signal ?? null });
  if (!response.ok) throw new Fault("not_found", "The file cannot be shown.", response.status);
  return response.blob();
}

const mostAsked = 100; // largest number of ids that memory_get takes

/** call calls a tool and returns its structured result. */
export function call<T>(tool: string, args: object, signal?: AbortSignal): Promise<T> {
  return post<T>("call/" + tool, args, signal);
}

/** describe returns memories by their ids, without texts and edges. */
export async function describe(ids: readonly string[], signal?: AbortSignal): Promise<GetResult["memories"]> {
  const pages = Array.from({ length: Math.ceil(ids.length / mostAsked) }, (_, i) => call<GetResult>("memory_get", { ids: ids.slice(i * mostAsked, (i + 1) * mostAsked), detail: "summary", include_edges: false }, signal));
  return (await Promise.all(pages)).flatMap((r) => r.memories);
}

/** read returns one memory with its text; the answer omits an empty text. */
export async function read(id: string, signal?: AbortSignal): Promise<Memory> {
  const m = (await call<GetResult>("memory_get", { id, include_edges: false }, signal)).memories[0];
  if (!m) throw new Fault("not_found", `there is no memory ${id}`, 404);
  return { ...m, content: m.content ?? "" };
}
