// Where the names of a drawing stand: none on top of another, the most important
// first. Nothing here draws.

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Name is a text beside a round thing, or on a line where r is 0. */
export interface Name {
  key: string;
  x: number; // of the middle of the thing, on the screen
  y: number;
  r: number; // its radius, on the screen
  w: number; // of the text
  h: number;
  rank: number; // higher ones are placed first
  must: boolean; // it stands in its best place even if that covers others
}

export interface Placed extends Box {
  key: string;
}

const gap = 3; // between a thing and its name
const cell = 96; // of the grid in which neighbours are looked up

/** Taken are the places that are no longer free. */
class Taken {
  readonly #cells = new Map<string, Box[]>();

  *#keys(b: Box): Iterable<string> {
    for (let i = Math.floor(b.x / cell); i <= Math.floor((b.x + b.w) / cell); i++) {
      for (let j = Math.floor(b.y / cell); j <= Math.floor((b.y + b.h) / cell); j++) yield `${i} ${j}`;
    }
  }

  add(b: Box): void {
    for (const key of this.#keys(b)) {
      const there = this.#cells.get(key);
      if (there) there.push(b);
      else this.#cells.set(key, [b]);
    }
  }

  /** covered is how much of a place is taken, in square pixels. */
  covered(b: Box): number {
    const seen = new Set<Box>();
    let sum = 0;
    for (const key of this.#keys(b)) {
      for (const o of this.#cells.get(key) ?? []) {
        if (seen.has(o)) continue;
        seen.add(o);
        const w = Math.min(b.x + b.w, o.x + o.w) - Math.max(b.x, o.x), h = Math.min(b.y + b.h, o.y + o.h) - Math.max(b.y, o.y);
        if (w > 0 && h > 0) sum += w * h;
      }
    }
    return sum;
  }
}

/** spots are the places where a name may stand, the best first. That of a thing in the room does not leave it. */
function spots(n: Name, room: number): Box[] {
  const { x, y, r, w, h } = n;
  const middle = x < 0 || x > room ? x - w / 2 : Math.max(0, Math.min(x - w / 2, room - w));
  if (r === 0) return [0, -0.9, 0.9, -1.8, 1.8].map((by) => ({ x: middle, y: y - h / 2 + by * h, w, h }));
  const beside = [x + r + gap, x - r - gap - w].filter((at) => at >= 0 && at + w <= room);
  return [
    { x: middle, y: y + r + gap, w, h },
    { x: middle, y: y - r - gap - h, w, h },
    ...beside.map((at) => ({ x: at, y: y - h / 2, w, h })),
  ];
}

/** place finds a place for as many names as there is room for, and at most so many; room is as many pixels wide. */
export function place(names: readonly Name[], most: number, taken: readonly Box[] = [], room = Infinity): Placed[] {
  const full = new Taken();
  taken.forEach((b) => full.add(b));
  const placed: Placed[] = [];
  const order = [...names].sort((a, b) => b.rank - a.rank || (a.key < b.key ? -1 : 1));
  for (const n of order) {
    if (placed.length >= most && !n.must) break;
    const all = spots(n, room).map((b) => ({ b, covered: full.covered(b) }));
    const best = all.find((s) => s.covered === 0) ?? (n.must ? all.reduce((a, b) => (b.covered < a.covered ? b : a)) : undefined);
    if (!best) continue;
    full.add(best.b);
    placed.push({ key: n.key, ...best.b });
  }
  return placed;
}
