// The page: it asks for a token if one is needed, and shows the frame around the views.

import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Fault, Refused, about as askAbout, keepToken, setToken } from "./api.ts";
import { Frame } from "./frame.tsx";
import { Gate } from "./gate.tsx";
import { NewsContext, useNews } from "./now.tsx";
import { Trouble } from "./parts.tsx";
import { asFault, SharedContext, useAddress, useEvent, type Shared } from "./state.ts";
import type { About } from "./types.ts";

export interface Said {
  text: string;
  undo?: (() => Promise<void>) | undefined;
  turn: number;
}

export function Page(): JSX.Element {
  const [about, setAbout] = useState<About>();
  const [error, setError] = useState<Fault>();
  const [address, go] = useAddress();
  const [epoch, setEpoch] = useState(0);
  const [turn, setTurn] = useState(0);
  const [said, setSaid] = useState<Said>({ text: "", turn: 0 });
  const asking = useRef(0);
  const refresh = useCallback(() => setEpoch((n) => n + 1), []);
  const again = useCallback(() => {
    setEpoch((n) => n + 1);
    setTurn((n) => n + 1);
  }, []);
  const refused = useCallback((e: Refused) => setError(e), []);
  const following = useNews(about !== undefined && !(error instanceof Refused), refresh, refused);

  const enter = useCallback(() => {
    const turn = ++asking.current;
    askAbout().then(
      (a) => {
        if (turn !== asking.current) return;
        setAbout(a);
        setError(undefined);
        again();
      },
      (e: unknown) => turn === asking.current && setError(asFault(e)),
    );
  }, []);
  useEffect(enter, []);
  useEvent("hashchange", () => {
    if (!location.hash.startsWith("#token=")) return;
    keepToken();
    enter();
  });

  const own = useRef(following.own);
  own.current = following.own;
  const changed = useCallback((text: string, undo?: () => Promise<void>) => {
    setSaid((s) => ({ text, undo, turn: s.turn + 1 }));
    own.current();
    again();
  }, []);

  const shared = useMemo<Shared | null>(() => {
    if (!about) return null;
    const can = (name: string): boolean => about.tools.includes(name) || about.features.includes(name);
    return { about, address, go, epoch, turn, changed, refused, can, canWrite: !about.read_only && can("memory_link") };
  }, [about, address, go, epoch, turn, changed, refused]);

  if (error instanceof Refused) return <Gate tried={error.tried} enter={(token) => { setToken(token); enter(); }} />;
  if (!shared) return error ? <main class="alone"><h1>Hence</h1><Trouble of={error} again={enter} /></main> : <></>;
  return (
    <SharedContext.Provider value={shared}>
      <NewsContext.Provider value={following.latest}>
        <Frame said={said} quiet={() => setSaid((s) => ({ text: "", turn: s.turn }))} following={following} again={again} />
      </NewsContext.Provider>
    </SharedContext.Provider>
  );
}
