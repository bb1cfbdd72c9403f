// Circles as sigma draws them, but not as instances of one triangle: a renderer in software
// takes as long for an instance as for many triangles.

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

/** Discs are circles that stand for edges, each around the first end of one: they lie beneath other edges, as no node does. */
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

/** Nothing draws no nodes. */
export class Nothing extends Circles {
  override drawWebGL(): void {}
}
