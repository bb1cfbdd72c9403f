// Types of the program's answers: the structured results of the tools and of the explorer's own
// endpoints, with the fields that the page reads.

import type { Piece } from "./snippet.ts";

export type Status = "current" | "superseded" | "forgotten";
export type Direction = "out" | "in";
export type Reason = "superseded" | "forgotten" | "contradicted" | "changed";

/** CodeRead holds the lines of a symbol as they are on disk now. */
export interface CodeRead {
  path: string;
  text: string; // each line is prefixed with its number and a tab
  start_line: number;
  end_line: number;
  changed?: boolean;
  truncated: boolean;
}

/** Outline lists the symbols that a package or a repository declares. */
export interface Outline {
  symbols: { id: string; title: string; sort: string; signature?: string; path?: string; callers: number; callees: number }[];
  total_count: number;
  truncated: boolean;
}

export interface Named {
  id: string;
  title: string;
}

export interface End extends Named {
  status: Status;
  ended?: string; // when its validity ended
  begins?: string; // when it begins to hold, if that is to come
  edited_since?: string; // when it was last edited, if that was after the requested known_at
}

export interface Doubt extends Named {
  reason: Reason;
  successor?: Named; // the newest successor, if reason is "superseded"
  route: string[];
}

export interface KindOfEdge {
  name: string;
  reads: string;
  inverse: string;
  symmetric: boolean;
  declared: boolean;
}

export interface About {
  version: string;
  read_only: boolean;
  namespace: string;
  database: string;
  path: string; // of the database on this machine; "" for a caller that may be on another one
  code: boolean;
  tools: string[];
  features: string[];
  kinds: KindOfEdge[];
}

export interface Page {
  total_count?: number;
  truncated: boolean;
  next?: string;
}

/** Described is a memory as lists and results have it. */
export interface Described extends End {
  kind: string;
  tags: string[];
  origin: string;
  actor: string;
  uri?: string;
  superseded_by?: Named;
  contradicted_by?: End[];
  stale?: Doubt[];
}

export interface Hit extends Described {
  section?: string;
  why: {
    title?: boolean; // the query equals its title or alias
    time?: string; // the time in the query that it matches
    keyword_rank?: number;
    vector_rank?: number;
    meaning?: string[]; // words of the query, each with the nearest word of the memory
    graph?: { from: string; type: string; share: number }[];
  };
}

export interface SearchResult extends Page {
  total_is_exact: boolean;
  results: Hit[];
  warnings?: string[];
  pieces: Piece[][]; // the snippet of each result; memory_search has none
  changed: string[]; // when each result was last stored or changed
}

export interface Row extends Described {
  created_at: string;
  updated_at: string;
}

export interface ListResult extends Page {
  memories: Row[];
}

export interface Memory extends Row {
  content: string;
  content_hash: string;
  aliases?: string[];
  properties?: Record<string, unknown>;
  importance: number;
  pinned?: boolean;
  revision: number;
  valid_from?: string;
  valid_to?: string;
  verified_at?: string;
  verify_note?: string;
  forget_reason?: string;
}

/**
 * GetResult omits the content of a memory if it is empty or was not requested; see read in api.ts.
 */
export interface GetResult {
  memories: (Omit<Memory, "content"> & { content?: string })[];
}

/** Written is a name in a text, and the memory that it refers to. */
export interface Written extends End {
  target: string;
  kind: string;
}

export interface Site {
  path: string;
  uri: string;
  line: number;
  anchor: string;
  context: string;
}

export interface EdgeRow {
  id: string;
  type: string;
  rel: string;
  direction: Direction;
  weight: number;
  origin: string;
  actor: string;
  note: string;
  created_at: string;
  other: End & { kind: string };
  sites: Site[];
  more_sites?: number;
}

export interface EdgesResult extends Page {
  edges: EdgeRow[];
  counts: { type: string; direction: Direction; count: number }[];
}

export interface Via {
  edge_type: string;
  rel: string;
  direction: Direction;
  from: string;
}

export interface TraceResult extends Page {
  results: (End & { kind: string; via: Via; route: string[]; stale?: Doubt[] })[];
}

export interface HistoryResult {
  chain: (End & { created_at: string; reason?: string })[];
  merged_from?: (End & { into: string; reason?: string })[];
}

/** Node is a memory in a drawing. */
export interface Node extends End {
  kind: string;
}

export interface PlainEdge {
  from: string;
  to: string;
  type: string;
  rel: string;
}

export interface NeighborhoodResult extends Page {
  seed: Node;
  nodes: Node[];
  edges: PlainEdge[];
}

export interface Step extends End {
  edge_type_to_next?: string;
  direction_to_next?: Direction;
  edges_to_next?: { id: string; type: string; rel: string; direction: Direction }[];
}

export interface PathResult {
  found: boolean;
  hops: number;
  path: Step[];
  message?: string;
}

export interface Count {
  name: string;
  count: number;
}

export interface OverviewResult {
  memories: number;
  by_kind: Count[];
  by_origin: Count[];
  by_status: Count[];
  edges_by_kind: Count[];
  most_linked: (Named & { edges: number })[];
  orphans: Named[];
  orphan_count: number;
  stale: (Named & { stale: Doubt[] })[];
  stale_count: number;
  conflicts: Conflict[];
  conflict_count: number;
  causal_loops: { size: number; memories: End[] }[];
  causal_loop_count: number;
  components: number;
  memories_among?: number; // for a past time with too many memories: the number examined
  edges_among?: number;
}

export interface StaleResult extends Page {
  memories: (End & { kind: string; stale: Doubt[] })[];
}

export interface Conflict {
  a: End;
  b: End;
  note?: string;
}

export interface ConflictsResult extends Page {
  conflicts: Conflict[];
}

export interface Candidate {
  id: string;
  from: Named;
  to: Named;
  sites: Site[];
}

export interface CandidatesResult extends Page {
  candidates: Candidate[];
}

export interface Change {
  seq: number;
  at: string;
  actor: string;
  action: string;
  thing: "memory" | "edge" | "batch"; // for "batch", action is a command and id is the name of a vault or ""
  id: string;
  title: string;
  what: string;
  undone_by?: number;
}

/** News describes changes to the store that are reported while the page is open. */
export interface News {
  changes: number;
  more?: boolean;
  mine?: boolean;
  replaced?: boolean;
  ids: string[];
  told?: { actor: string; action: string; id: string; title: string; what?: string };
}

/** Past is the history of a memory, the latest step first. */
export interface Past {
  steps: PastStep[];
  truncated: boolean;
}

export interface PastStep {
  at: string;
  actor: string;
  action: string;
  number?: number;
  fields?: string[];
  edge?: { type: string; rel: string; out: boolean; other: Named };
  undone?: boolean;
}

export interface EditOf {
  fields: { name: string; before: unknown; after: unknown }[];
}

/** PackagesResult lists the packages of source code, and which of them use which others. */
export interface PackagesResult {
  packages: (End & { kind: string; symbols: number })[];
  edges: { from: string; to: string; type: string; count: number }[];
  rest: number;
}

export interface JournalResult {
  changes: Change[];
  rejections: { at: string; what: string; title: string; count: number; by?: string }[];
  truncated: boolean;
}

export interface UndoResult {
  undone: Change[];
  files?: { operation: string; notes: { path: string }[]; warnings: string[] }; // set, with undone empty, if notes of a vault were restored
}

export interface Day {
  day: string;
  changes: number;
  stored: number;
  revised: number;
  linked: number;
  forgotten: number;
}

/** Effect is what accepting a call that waits does. */
export interface Effect extends Consequences {
  supersedes: Named[];
  refused?: string;
}

/** Inherited is an edge that the successor of a memory may take over. */
export interface Inherited {
  from?: Named; // the successor, if there is one
  type: string;
  rel: string;
  to: End;
}

/** Uses says what was shown to agents and used, by week. */
export interface Uses {
  sessions: number;
  shown: number;
  used: number;
  corrected: number;
  weeks: { week: string; shown: number; used: number; corrected: number }[];
  not_found: { words: string }[];
}

/** Replay says what conversations were shown. */
export interface Replay {
  sessions?: { session: string; actor: string; last: string; receipts: number }[];
  answers: {
    at: string;
    tool: string;
    arguments?: string;
    shown: (Named & { text?: string; waited?: boolean; erased?: boolean; since?: { edited?: boolean; forgotten?: boolean; superseded_by?: Named; stale?: Doubt[]; contradicted_by?: Named[] } })[];
  }[];
  next?: string;
}

/** Resting lists what rests on a memory. */
export interface Resting extends Named {
  asked: string;
  resting: Named[];
  count: number;
  clears: Named[]; // what else is stale no more if it is verified
  takes_over: Inherited[]; // edges that a successor may need too
}

export interface Proposal {
  does?: Effect;
  key: string;
  what: string;
  why: string;
  memories: (Named & { text?: string; at: string })[];
  call: { tool: string; arguments: Record<string, unknown> };
}

/** Consequences lists the memories that a change made stale, and the contradictions it caused. */
export interface Consequences {
  change?: number; // number of the change, for undo
  now_stale?: (Named & { reason: Reason })[];
  now_stale_count?: number;
  conflicts?: Conflict[];
  takes_over?: Inherited[];
}

export interface TidyResult extends Page, Consequences {
  proposals: Proposal[];
  not_shown: Count[];
}

/**
 * AtlasArea is a group of memories drawn as a disc. Its dots have the indices from start to end -
 * 1.
 */
export interface AtlasArea {
  parent: number;
  start: number;
  end: number;
  x: number;
  y: number;
  r: number;
  loose: boolean;
  name: string;
  names: string[];
}

export type AtlasColumn = "x" | "y" | "degree" | "area" | "kind" | "folder" | "tag" | "tag_end" | "status" | "stored";

/** AtlasAnswer is a map of a whole store; its columns are encoded in base64. */
export interface AtlasAnswer extends Record<AtlasColumn, string | null> {
  version: string;
  dots: number;
  spans: [number, number, number, number, number][];
  areas: AtlasArea[];
  ties: [number, number, number, number][];
  kinds: string[];
  folders: string[];
  tags: string[];
  types: string[];
  rest: number;
}

/** AtlasEdgesAnswer holds the edges of a map; its columns are encoded in base64. */
export interface AtlasEdgesAnswer extends Record<"from" | "to" | "type" | "stored", string | null> {
  spans: [number, number, number][];
}

export interface AtlasNames {
  memories: (End & { kind: string })[];
}

/** Entry is a memory in a briefing. */
export interface Entry extends Named {
  doubt?: string;
}

export interface Brief {
  rules: Entry[];
  holds: Entry[];
  left_off?: Named & { next?: string; done?: string; text?: string };
}
