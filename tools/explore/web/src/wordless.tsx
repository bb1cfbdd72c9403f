// Shown for a memory without text: a picture, a canvas, another file or an empty note.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { file } from "./api.ts";
import { isPicture } from "./text/markdown.ts";
import type { Memory } from "./types.ts";

/** Wordless shows the picture of a memory, or a hint, in place of its empty text. */
export function Wordless({ of: m }: { of: Memory }): JSX.Element {
  if (m.kind === "file" && m.uri && isPicture.test(m.uri)) return <Picture id={m.id} hash={m.content_hash} title={m.title} />;
  return <p class="hint">{m.kind === "canvas" ? "A canvas. The notes and links on its cards are among its edges." : m.kind === "file" ? "A file whose content is not shown here." : "It has no text."}</p>;
}

function Picture({ id, hash, title }: { id: string; hash: string; title: string }): JSX.Element {
  const [address, setAddress] = useState("");
  const [failed, fail] = useState(false);
  useEffect(() => {
    const gone = new AbortController();
    let made = "";
    setAddress("");
    fail(false);
    file(id, gone.signal).then((blob) => setAddress((made = URL.createObjectURL(blob))), () => gone.signal.aborted || fail(true));
    return () => {
      gone.abort();
      URL.revokeObjectURL(made);
    };
  }, [id, hash]);
  if (failed) return <p class="hint">The file cannot be read just now.</p>;
  return <p class="text picture">{address !== "" && <img src={address} alt={title} onError={() => fail(true)} />}</p>;
}
