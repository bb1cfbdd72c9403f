// When the dots of a picture are drawn. A machine without a GPU takes some 35 milliseconds
// for 100,000: there they are left out while the picture moves, and the discs of their
// areas stand for them.

import type Sigma from "sigma";
import type { NodeProgramType } from "sigma/rendering";
import { Circles } from "./circles.ts";

const slow = 60; // milliseconds from which on a frame is slow
const trial = 400; // milliseconds over which frames are counted
const pause = 150; // milliseconds without a move, after which dots that were left out are drawn
const hit = 1; // pixels of the radius of a dot that a pointer can hit

export class Dots {
  #radius = Infinity; // pixels of a dot
  #at = "";
  #moves = false;
  #counts = false;
  #isSlow = false;
  #timer = 0;

  /** program draws what is not left out, and looks for the dot under the pointer only where dots are large enough. Dots of a radius from largest on are always drawn. */
  program(largest: number): NodeProgramType {
    const isDrawn = (isPicking: boolean): boolean => (isPicking ? this.#radius >= hit : !this.#moves || !this.#isSlow || this.#radius >= largest);
    return class extends Circles {
      override drawWebGL(...[method, info]: Parameters<Circles["drawWebGL"]>): void {
        if (isDrawn(info.isPicking)) super.drawWebGL(method, info);
      }
    };
  }

  /** watch follows how a picture moves. radius is that of a dot in pixels. */
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

  /** #count finds out whether frames are slow. Single frames do not tell: the renderer works behind the page. */
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
