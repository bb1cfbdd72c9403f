// Decides when the dots of the atlas are drawn. A machine without a GPU takes about 35 milliseconds
// for 100,000 dots. There they are left out while the picture moves, and only the discs of their
// areas are shown.

import type Sigma from "sigma";
import type { NodeProgramType } from "sigma/rendering";
import { Circles } from "./circles.ts";

const slow = 60; // milliseconds per frame from which on frames are slow
const trial = 400; // milliseconds over which frames are counted
const pause = 150; // milliseconds without movement, after which dots that were left out are drawn
const hit = 1; // smallest radius in pixels of a dot that a pointer can hit

export class Dots {
  #radius = Infinity; // radius of a dot in pixels
  #at = "";
  #moves = false;
  #counts = false;
  #isSlow = false;
  #timer = 0;

  /**
   * program returns the node program for dots. While the picture moves on a slow machine, it draws
   * only dots with a radius of at least largest pixels. It looks for the dot under the pointer only
   * if dots are large enough to hit.
   */
  program(largest: number): NodeProgramType {
    const isDrawn = (isPicking: boolean): boolean => (isPicking ? this.#radius >= hit : !this.#moves || !this.#isSlow || this.#radius >= largest);
    return class extends Circles {
      override drawWebGL(...[method, info]: Parameters<Circles["drawWebGL"]>): void {
        if (isDrawn(info.isPicking)) super.drawWebGL(method, info);
      }
    };
  }

  /** watch follows the movements of the picture. radius returns the radius of a dot in pixels. */
  watch(sigma: Sigma, radius: () => number): void {
    sigma.on("beforeRender", () => {
      this.#radius = radius();
      const { x, y, ratio } = sigma.getCamera().getState(), at = `${x} ${y} ${ratio}`;
      const stood = this.#at === "" || this.#at === at;
      this.#at = at;
      if (stood) return;
      this.#moves = true;
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => {
        this.#moves = false;
        if (this.#isSlow) sigma.scheduleRender();
      }, pause);
      this.#count();
    });
  }

  /**
   * #count measures over several frames whether they are slow. A single frame does not show that,
   * because the renderer works asynchronously.
   */
  #count(): void {
    if (this.#counts || this.#isSlow) return;
    this.#counts = true;
    const start = performance.now();
    let frames = 0;
    const next = (): void => {
      frames++;
      const spent = performance.now() - start;
      if (spent < trial) {
        requestAnimationFrame(next);
        return;
      }
      this.#isSlow = spent / frames > slow;
      this.#counts = false;
    };
    requestAnimationFrame(next);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
