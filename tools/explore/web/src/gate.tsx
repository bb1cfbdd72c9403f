// The form that asks for a token, if the store requires one.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useTitle } from "./state.ts";

export function Gate({ tried, enter }: { tried: boolean; enter: (token: string) => void }): JSX.Element {
  const [token, setToken] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useTitle("Token");
  useEffect(() => field.current?.focus(), [tried]);
  return (
    <main class="alone">
      <h1>Hence</h1>
      <form
        class="gate"
        onSubmit={(e) => {
          e.preventDefault();
          if (token.trim() !== "") enter(token.trim());
        }}
      >
        <p>This store is behind a token. <code>hence token list</code> shows which there are; <code>hence token add NAME</code> makes one.</p>
        <label for="token">Token</label>
        <input id="token" ref={field} type="password" autocomplete="off" spellcheck={false} value={token} aria-describedby="token-said" aria-invalid={tried} onInput={(e) => setToken(e.currentTarget.value)} />
        <p id="token-said" role="alert" class={tried ? "wrong" : ""}>
          {tried ? "That token was refused. It may be mistyped, taken back or out of date." : ""}
        </p>
        <button type="submit" class="main">Open the store</button>
      </form>
    </main>
  );
}
