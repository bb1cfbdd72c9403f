// A still picture of the atlas: of the whole store beside the search, and in place of the drawing
// where there is no WebGL.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { graph } from "../address.ts";
import { post } from "../api.ts";
import { Link } from "../parts.tsx";
import { useAsk, useEvent, type Asked } from "../state.ts";
import type { AtlasAnswer } from "../types.ts";
import { count } from "../words.ts";
import { colouring } from "./colouring.ts";
import { decode, nameOf, planeOf, visible, type Atlas } from "./data.ts";
import { svg, whole } from "./picture.ts";
import type { Scene } from "./scene.ts";
import { tiesNow } from "./ties.ts";

const size = { width: 360, height: 330 };
const mostNamed = 8; // areas that the words for the picture name

/** useAtlas asks for the map of the memories or of the code. */
export function useAtlas(of: string | null, canWait = false): Asked<Atlas> {
  return useAsk<Atlas>(of && `atlas ${of}`, async (signal) => decode(await post<AtlasAnswer>("atlas", { of }, signal)), { still: true, canWait });
}

/** Still shows the text of an SVG file, made anew when the theme changes. */
export function Still({ draw, alt, class: name }: { draw: () => string; alt: string; class: string }): JSX.Element {
  const [, restyle] = useState({});
  useEvent("themechange", () => restyle({}));
  return <img class={name} alt={alt} src={"data:image/svg+xml;charset=utf-8," + encodeURIComponent(draw())} />;
}

/** Small shows the whole store as a small picture, which leads to the graph. */
export function Small({ of }: { of: string }): JSX.Element {
  const a = useAtlas(of, true).data;
  const scene = useMemo((): Scene | undefined => {
    if (!a) return undefined;
    const shown = visible(a, { superseded: true, asOf: 0, knownAt: 0 });
    return { atlas: a, shown, plane: planeOf(a, shown), colours: colouring(a, "area", shown), within: -1, ties: tiesNow(a, -1), off: new Set(), edges: undefined, holds: () => false };
  }, [a]);
  return (
    <Link to={graph({ of })} class="home-picture">
      {scene && <Still class="small-still" alt={`The whole store as a picture: ${count(scene.atlas.top.length, "area")}, ${scene.atlas.top.slice(0, mostNamed).map((i) => nameOf(scene.atlas, i)).join("; ")}`} draw={() => svg(scene, whole(scene, new Map(), size.width, size.height))} />}
    </Link>
  );
}
