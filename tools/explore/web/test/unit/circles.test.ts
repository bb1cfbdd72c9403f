import assert from "node:assert/strict";
import { test } from "node:test";

// The renderer reads these when it is loaded.
const world = globalThis as unknown as Record<string, unknown>;
world["WebGLRenderingContext"] = world["WebGL2RenderingContext"] = class {};
const { NodeCircleProgram } = await import("sigma/rendering");
const { Circles } = await import("../../src/atlas/circles.ts");

test("a circle is three corners with all that the shader reads, and no instance", () => {
  const sigmas = NodeCircleProgram.prototype.getDefinition.call({}), definition = Circles.prototype.getDefinition.call({});
  assert.equal("CONSTANT_ATTRIBUTES" in definition, false);
  assert.deepEqual(definition.ATTRIBUTES.map((a) => a.name), [...sigmas.ATTRIBUTES, ...sigmas.CONSTANT_ATTRIBUTES].map((a) => a.name));

  const stride = 6, array = new Float32Array(4 * 3 * stride); // colours and ids are four bytes each
  Circles.prototype.processVisibleItem.call({ array, ATTRIBUTES_ITEMS_COUNT: stride }, 7, 3 * stride, { x: 1, y: 2, size: 3, color: "#123456" } as Parameters<typeof Circles.prototype.processVisibleItem>[2]);
  assert.deepEqual([...array.subarray(0, 3 * stride)], Array(3 * stride).fill(0));
  for (const [corner, angle] of sigmas.CONSTANT_DATA.entries()) {
    const at = (3 + corner) * stride, [x, y, size] = array.subarray(at, at + 3);
    assert.deepEqual([x, y, size], [1, 2, 3]);
    assert.equal(array[at + 5], Math.fround(angle[0]!));
  }
  assert.deepEqual([...array.subarray(6 * stride)], Array(6 * stride).fill(0));
});
