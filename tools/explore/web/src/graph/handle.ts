// A handle beside the marked memory. Dragging it to another memory links the two. Without a
// pointer, the Link button beside the drawing or its key does the same.

interface Heard {
  at: (x: number, y: number) => string; // the id of the memory at a position; "" for none
  near: (id: string) => void; // called with the memory under the handle; "" for none
  drop: (id: string) => void;
}

const svgNS = "http://www.w3.org/2000/svg";

export class Handle {
  readonly #room: SVGSVGElement;
  readonly #sign: SVGGElement;
  readonly #line: SVGLineElement;
  readonly #heard: Heard;
  #allowed = false;
  #from: { x: number; y: number } | undefined; // the centre of the marked memory
  #dragging = false;

  constructor(over: HTMLElement, heard: Heard) {
    this.#heard = heard;
    this.#room = document.createElementNS(svgNS, "svg");
    this.#room.setAttribute("class", "handle");
    this.#room.setAttribute("aria-hidden", "true");
    this.#line = document.createElementNS(svgNS, "line");
    this.#sign = document.createElementNS(svgNS, "g");
    const [disc, plus, title] = [document.createElementNS(svgNS, "circle"), document.createElementNS(svgNS, "path"), document.createElementNS(svgNS, "title")];
    disc.setAttribute("r", "10");
    plus.setAttribute("d", "M-4 0H4M1 -3 4 0 1 3");
    title.textContent = "Drag to another memory to link them";
    this.#sign.append(title, disc, plus);
    this.#room.append(this.#line, this.#sign);
    over.append(this.#room);
    this.#sign.addEventListener("pointerdown", (e) => this.#start(e));
    this.#sign.addEventListener("pointermove", (e) => this.#move(e));
    this.#sign.addEventListener("pointerup", (e) => this.#end(e));
    this.#sign.addEventListener("pointercancel", () => this.#rest());
  }

  allow(is: boolean): void {
    this.#allowed = is;
    if (!is) this.hide();
  }

  hide(): void {
    this.#from = undefined;
    this.#room.classList.remove("shown");
  }

  /** show places the handle beside a memory. */
  show(at: { x: number; y: number }, radius: number): void {
    if (!this.#allowed || this.#dragging) return;
    this.#from = { ...at };
    this.#place(at.x + radius * 0.71 + 10, at.y - radius * 0.71 - 10);
    this.#room.classList.add("shown");
  }

  #place(x: number, y: number): void {
    this.#sign.setAttribute("transform", `translate(${Math.round(x)} ${Math.round(y)})`);
  }

  #spot(e: PointerEvent): { x: number; y: number } {
    const box = this.#room.getBoundingClientRect();
    return { x: e.clientX - box.x, y: e.clientY - box.y };
  }

  #start(e: PointerEvent): void {
    if (!this.#from || e.button !== 0) return;
    e.preventDefault();
    e.stopPropagation();
    this.#sign.setPointerCapture(e.pointerId);
    this.#dragging = true;
    this.#room.classList.add("dragging");
    this.#move(e);
  }

  #move(e: PointerEvent): void {
    if (!this.#dragging || !this.#from) return;
    const { x, y } = this.#spot(e);
    for (const [name, value] of Object.entries({ x1: this.#from.x, y1: this.#from.y, x2: x, y2: y })) this.#line.setAttribute(name, String(value));
    this.#place(x, y);
    this.#heard.near(this.#heard.at(x, y));
  }

  #end(e: PointerEvent): void {
    if (!this.#dragging) return;
    const { x, y } = this.#spot(e);
    const id = this.#heard.at(x, y);
    this.#rest();
    if (id !== "") this.#heard.drop(id);
  }

  #rest(): void {
    const from = this.#from;
    this.#dragging = false;
    this.#room.classList.remove("dragging");
    this.#heard.near("");
    if (from) this.#place(from.x + 22, from.y - 22);
  }

  destroy(): void {
    this.#room.remove();
  }
}
