// Shown for a memory without text: a picture, a canvas, another file or an empty note.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { showPicture } from "./text/enrich.ts";
import { isPicture } from "./text/markdown.ts";
import type { Memory } from "./types.ts";

/** Wordless shows the picture of a memory, or a hint, in place of its empty text. */
export function Wordless({ of: m }: { of: Memory }): JSX.Element {
  if (m.kind === "file" && m.uri && isPicture.test(m.uri)) return <Picture key={m.id + m.content_hash} id={m.id} title={m.title} />;
  return <p class="hint">{m.kind === "canvas" ? "A canvas. The notes and links on its cards are among its edges." : m.kind === "file" ? "A file whose content is not shown here." : "It has no text."}</p>;
}

function Picture({ id, title }: { id: string; title: string }): JSX.Element {
  const room = useRef<HTMLParagraphElement>(null);
  const [failed, fail] = useState(false);
  useEffect(() => {
    const gone = new AbortController();
    showPicture(room.current!, id, gone.signal).catch(() => gone.signal.aborted || fail(true));
    return () => gone.abort();
  }, []);
  return failed ? <p class="hint">The file cannot be read just now.</p> : <p ref={room} class="text">{title}</p>;
}
