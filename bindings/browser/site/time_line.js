// The time line of a run, drawn from its trace events: a row for each track, bars for what lasts.

import { element } from "./editor.js";

const ROW = 20;
const HEAD = 22;
const COLOURS = 8;

export class TimeLine {
  #tracks = [];
  #from = 0;
  #until = 1;
  #whole = [0, 1];
  #bars = [];
  #chosen = null;

  constructor(root) {
    this.canvas = root.querySelector("canvas");
    this.detail = root.querySelector(".detail");
    this.note = root.querySelector(".note");
    for (const button of root.querySelectorAll("[data-act]")) {
      button.addEventListener("click", () => this.#act(button.dataset.act));
    }
    const { canvas } = this;
    canvas.addEventListener("keydown", (event) => {
      const act = {
        ArrowLeft: "left",
        ArrowRight: "right",
        "+": "in",
        "=": "in",
        "-": "out",
        0: "whole",
        n: "next",
        p: "before",
      }[event.key];
      if (act) (event.preventDefault(), this.#act(act));
    });
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        this.#zoom(event.deltaY > 0 ? 1.25 : 0.8, this.#timeAt(event.offsetX));
      },
      { passive: false },
    );
    let grabbed = null;
    canvas.addEventListener("pointerdown", (event) => {
      grabbed = { x: event.offsetX, from: this.#from, until: this.#until, isMoved: false };
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!grabbed || !event.buttons) return;
      const by = ((grabbed.x - event.offsetX) / this.#width()) * (grabbed.until - grabbed.from);
      if (Math.abs(grabbed.x - event.offsetX) > 3) grabbed.isMoved = true;
      if (grabbed.isMoved) this.#show(grabbed.from + by, grabbed.until + by);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (grabbed && !grabbed.isMoved) this.#choose(this.#barAt(event.offsetX, event.offsetY));
      grabbed = null;
    });
    new ResizeObserver(() => this.#draw()).observe(canvas.parentElement);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
  }

  // Shows trace events between two times in milliseconds.
  load(text, [from, until]) {
    const { traceEvents } = JSON.parse(text);
    const names = new Map();
    const tracks = new Map();
    for (const event of traceEvents) {
      const track = `${event.pid}/${event.tid}`;
      if (event.ph === "M" && event.name === "process_name") names.set(event.pid, event.args.name);
      if (event.ph === "M" && event.name === "thread_name") names.set(track, event.args.name);
      if (event.ph !== "X" && event.ph !== "i") continue;
      if (!tracks.has(track)) tracks.set(track, { pid: event.pid, tid: event.tid, bars: [] });
      tracks.get(track).bars.push(event);
    }
    this.#tracks = [...tracks.values()].sort(
      (one, other) => one.pid - other.pid || one.tid - other.tid,
    );
    for (const track of this.#tracks) {
      const thread = names.get(`${track.pid}/${track.tid}`);
      track.name = [names.get(track.pid), thread].filter(Boolean).join(": ");
      track.bars.sort((one, other) => one.ts - other.ts);
    }
    this.#whole = [from * 1e3, until * 1e3];
    const count = this.#tracks.reduce((sum, track) => sum + track.bars.length, 0);
    this.note.textContent = count
      ? `${count} event${count === 1 ? "" : "s"} on ${this.#tracks.length} track${this.#tracks.length === 1 ? "" : "s"}, ${from} ms to ${until} ms. Drag to move, Ctrl and wheel to zoom, or the keys ← → + − 0; n and p go from event to event.`
      : `Nothing happens between ${from} ms and ${until} ms.`;
    this.#chosen = null;
    this.detail.textContent = "Choose a bar to see what it is.";
    this.#show(...this.#whole);
  }

  #act(act) {
    const span = this.#until - this.#from;
    const middle = this.#from + span / 2;
    if (act === "left" || act === "right") {
      const by = (act === "left" ? -1 : 1) * span * 0.2;
      this.#show(this.#from + by, this.#until + by);
    } else if (act === "whole") this.#show(...this.#whole);
    else if (act === "next" || act === "before") this.#step(act === "next" ? 1 : -1);
    else this.#zoom(act === "in" ? 0.5 : 2, middle);
  }

  #step(by) {
    const all = this.#tracks.flatMap((track) => track.bars.map((bar) => ({ bar, track })));
    all.sort((one, other) => one.bar.ts - other.bar.ts);
    if (!all.length) return;
    const at = all.findIndex(({ bar }) => bar === this.#chosen?.bar);
    const next = all[at < 0 ? 0 : (at + by + all.length) % all.length];
    const span = this.#until - this.#from;
    if (next.bar.ts < this.#from || next.bar.ts > this.#until)
      this.#show(next.bar.ts - span / 2, next.bar.ts + span / 2);
    this.#choose(next);
  }

  #zoom(by, around) {
    const from = around - (around - this.#from) * by;
    const until = around + (this.#until - around) * by;
    if (until - from > 0.5) this.#show(from, until);
  }

  #show(from, until) {
    const span = Math.min(until - from, this.#whole[1] - this.#whole[0]);
    this.#from = Math.min(Math.max(from, this.#whole[0]), this.#whole[1] - span);
    this.#until = this.#from + span;
    this.#draw();
  }

  #width() {
    return this.canvas.clientWidth;
  }

  #timeAt(x) {
    return this.#from + (x / this.#width()) * (this.#until - this.#from);
  }

  #barAt(x, y) {
    return this.#bars.findLast(
      ({ left, right, top }) => x >= left - 2 && x <= right + 2 && y >= top && y < top + ROW,
    );
  }

  #choose(found) {
    this.#chosen = found ?? null;
    if (!found) this.detail.textContent = "Choose a bar to see what it is.";
    else {
      const { bar, track } = found;
      const words = Object.entries(bar.args ?? {}).map(
        ([key, value]) => `${key.replaceAll("_", " ")} ${value}`,
      );
      const lasts = bar.dur === undefined ? "" : `, ${microseconds(bar.dur)}`;
      this.detail.replaceChildren(
        element("b", "", bar.name),
        ` on ${track.name}, at ${(bar.ts / 1e3).toFixed(3)} ms${lasts}${words.length ? "; " : ""}${words.join(", ")}`,
      );
    }
    this.#draw();
  }

  #draw() {
    const width = this.#width();
    if (!width) return;
    const height = HEAD + this.#tracks.length * 2 * ROW + 4;
    const scale = devicePixelRatio || 1;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    const draw = this.canvas.getContext("2d");
    draw.scale(scale, scale);
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`);
    draw.font = "12px system-ui, sans-serif";
    draw.textBaseline = "middle";
    this.#axis(draw, width, height, colour);
    const span = this.#until - this.#from;
    const at = (time) => ((time - this.#from) / span) * width;
    this.#bars = [];
    this.#tracks.forEach((track, index) => {
      const top = HEAD + index * 2 * ROW + ROW;
      draw.fillStyle = colour("muted");
      draw.fillText(track.name, 4, top - ROW / 2, width - 8);
      for (const bar of track.bars) {
        const left = at(bar.ts);
        const right = Math.max(at(bar.ts + (bar.dur ?? 0)), left + (bar.ph === "i" ? 3 : 1));
        if (right < 0 || left > width) continue;
        this.#bars.push({ left, right, top, bar, track });
        draw.fillStyle =
          this.#chosen?.bar === bar ? colour("text") : colour(`c${1 + (hash(bar.name) % COLOURS)}`);
        draw.fillRect(left, top, Math.max(right - left - 0.5, 1), ROW - 4);
        if (right - left > 34) {
          draw.save();
          draw.beginPath();
          draw.rect(Math.max(left, 0), top, right - Math.max(left, 0) - 3, ROW);
          draw.clip();
          draw.fillStyle = this.#chosen?.bar === bar ? colour("ground") : colour("on-bar");
          draw.fillText(bar.name, Math.max(left, 0) + 4, top + ROW / 2 - 2);
          draw.restore();
        }
      }
    });
  }

  #axis(draw, width, height, colour) {
    const span = this.#until - this.#from;
    const step =
      [1, 2, 5]
        .flatMap((one) => [...Array(7).keys()].map((power) => one * 10 ** power))
        .sort((one, other) => one - other)
        .find((one) => (one / span) * width > 80) ?? span;
    for (let time = Math.ceil(this.#from / step) * step; time <= this.#until; time += step) {
      const x = ((time - this.#from) / span) * width;
      draw.fillStyle = colour("grid");
      draw.fillRect(x, HEAD - 4, 1, height - HEAD + 4);
      draw.fillStyle = colour("muted");
      draw.textAlign = x < 30 ? "left" : x > width - 30 ? "right" : "center";
      draw.fillText(`${+(time / 1e3).toFixed(3)} ms`, x, 8);
    }
    draw.textAlign = "left";
  }
}

function microseconds(time) {
  return time < 1000 ? `${+time.toFixed(3)} µs` : `${+(time / 1e3).toFixed(3)} ms`;
}

function hash(text) {
  let sum = 7;
  for (const letter of text) sum = (sum * 31 + letter.charCodeAt(0)) >>> 0;
  return sum;
}
