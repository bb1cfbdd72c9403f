// Circles as sigma draws them, but without instanced rendering: a software renderer takes as long
// for one instance as for many triangles.

import { EdgeProgram, NodeCircleProgram } from "sigma/rendering";

type Definition = ReturnType<NodeCircleProgram["getDefinition"]>;

const corners = [NodeCircleProgram.ANGLE_1, NodeCircleProgram.ANGLE_2, NodeCircleProgram.ANGLE_3];

function triangles({ CONSTANT_ATTRIBUTES: ofCorners, CONSTANT_DATA: _, ...rest }: Definition): Definition {
  return { ...rest, ATTRIBUTES: [...rest.ATTRIBUTES, ...ofCorners] } as unknown as Definition;
}

type Item = Parameters<NodeCircleProgram["processVisibleItem"]>;

function write(program: { array: Float32Array; ATTRIBUTES_ITEMS_COUNT: number }, ...[id, start, data]: Item): void {
  for (const corner of corners) {
    NodeCircleProgram.prototype.processVisibleItem.call(program as NodeCircleProgram, id, start, data);
    start += program.ATTRIBUTES_ITEMS_COUNT;
    program.array[start - 1] = corner;
  }
}

export class Circles extends NodeCircleProgram {
  override getDefinition(): Definition {
    return triangles(super.getDefinition());
  }

  override processVisibleItem(...item: Item): void {
    write(this, ...item);
  }
}

/**
 * Discs draws edges as circles, each around the first end of its edge. As edges, they lie beneath
 * other edges; sigma draws all nodes above the edges.
 */
export class Discs extends EdgeProgram {
  override getDefinition(): Definition {
    return triangles(NodeCircleProgram.prototype.getDefinition.call(this));
  }

  override setUniforms(...all: Parameters<NodeCircleProgram["setUniforms"]>): void {
    NodeCircleProgram.prototype.setUniforms.apply(this, all);
  }

  override processVisibleItem(...[id, start, at, , { size, color }]: Parameters<EdgeProgram["processVisibleItem"]>): void {
    write(this, id, start, { ...at, size, color });
  }
}

/** Nothing is a node program that draws nothing. */
export class Nothing extends Circles {
  override drawWebGL(): void {}
}
