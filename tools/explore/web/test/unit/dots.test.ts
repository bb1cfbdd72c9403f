import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { mock, test } from "node:test";
import type Sigma from "sigma";

// The renderer reads these when it is loaded.
const drawn: boolean[] = [];
const world = globalThis as unknown as Record<string, unknown>;
world["WebGLRenderingContext"] = world["WebGL2RenderingContext"] = class {};
world["window"] = globalThis;
const { NodeCircleProgram } = await import("sigma/rendering");
NodeCircleProgram.prototype.drawWebGL = (_, info): void => void drawn.push(info.isPicking);
const { Dots } = await import("../../src/atlas/dots.ts");

/** picture is a picture whose frames take a time, and whose dots are of a radius. */
function picture(frame: number, radius: number) {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  mock.method(performance, "now", () => now);
  const frames: (() => void)[] = [];
  world["requestAnimationFrame"] = (next: () => void): void => void frames.push(next);
  const dots = new Dots(), program = dots.program(3.4) as unknown as typeof NodeCircleProgram;
  const camera = { x: 0, y: 0, ratio: 1 };
  const sigma = Object.assign(new EventEmitter(), { getCamera: () => ({ getState: () => camera }), scheduleRender: () => render() });
  dots.watch(sigma as unknown as Sigma, () => radius);
  const render = (): string => {
    sigma.emit("beforeRender");
    drawn.length = 0;
    for (const isPicking of [true, false]) program.prototype.drawWebGL.call({}, 0, { isPicking } as Parameters<typeof program.prototype.drawWebGL>[1]);
    return drawn.map((isPicking) => (isPicking ? "hit" : "seen")).join(" ");
  };
  const move = (spent = frame): string => {
    camera.x++;
    const said = render();
    now += spent;
    frames.splice(0).forEach((next) => next());
    return said;
  };
  return { render, move };
}

test("dots stay where frames are quick", () => {
  const p = picture(16, 2);
  p.render();
  for (let i = 0; i < 60; i++) assert.equal(p.move(), "hit seen");
});

test("dots are left out of slow frames while the picture moves, and drawn when it stands", () => {
  const p = picture(300, 2);
  p.render();
  assert.deepEqual([p.move(), p.move(), p.move(), p.move()], ["hit seen", "hit seen", "hit", "hit"]);
  mock.timers.tick(150);
  assert.deepEqual(drawn, [true, false], "they are drawn without being asked for");
  assert.equal(p.render(), "hit seen");
  assert.equal(p.move(), "hit");
});

test("one slow frame leaves nothing out", () => {
  const p = picture(16, 2);
  p.render();
  for (let i = 0; i < 60; i++) assert.equal(p.move(i === 30 ? 300 : 16), "hit seen");
});

test("large dots are drawn in slow frames too, and those too small to hit are not looked for", () => {
  const large = picture(300, 4);
  large.render();
  for (let i = 0; i < 5; i++) assert.equal(large.move(), "hit seen");
  const small = picture(300, 0.4);
  small.render();
  assert.deepEqual([small.move(), small.move(), small.move()], ["seen", "seen", ""]);
});
