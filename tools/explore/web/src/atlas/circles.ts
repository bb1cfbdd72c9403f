// Circles as sigma draws them, but not as instances of one triangle: a renderer in software
// takes as long for an instance as for many triangles.

import { NodeCircleProgram } from "sigma/rendering";

type Definition = ReturnType<NodeCircleProgram["getDefinition"]>;

const corners = [NodeCircleProgram.ANGLE_1, NodeCircleProgram.ANGLE_2, NodeCircleProgram.ANGLE_3];

export class Circles extends NodeCircleProgram {
  override getDefinition(): Definition {
    const { CONSTANT_ATTRIBUTES: ofCorners, CONSTANT_DATA: _, ...rest } = super.getDefinition();
    return { ...rest, ATTRIBUTES: [...rest.ATTRIBUTES, ...ofCorners] } as unknown as Definition;
  }

  override processVisibleItem(...[node, start, data]: Parameters<NodeCircleProgram["processVisibleItem"]>): void {
    for (const corner of corners) {
      super.processVisibleItem(node, start, data);
      start += this.ATTRIBUTES_ITEMS_COUNT;
      this.array[start - 1] = corner;
    }
  }
}
