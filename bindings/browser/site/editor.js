// An editor for vehicle files: a text area over its own coloured text, with the numbers of the lines,
// marks at those with faults, and a list of what may stand at the cursor.

const TOKEN =
  /(#.*$)|("(?:[^"\\]|\\.)*"?|'[^']*'?)|(^\s*\[\[?[^\]#]*\]?\]?)|(^\s*[A-Za-z0-9_.-]+(?=\s*=))|(\b(?:true|false)\b|\b0x[0-9A-Fa-f_]+\b|[-+]?\b\d[\d_.]*(?:e[-+]?\d+)?\b)/gm;
const CLASSES = ["comment", "text", "table", "key", "number"];

export class Editor {
  #marks = new Map();
  #completion;
  #list = { options: [], from: 0, at: -1 };
  // Called when the text has changed.
  onchange = () => {};

  constructor(root) {
    this.root = root;
    this.area = root.querySelector("textarea");
    this.paint = root.querySelector(".paint");
    this.gutter = root.querySelector(".gutter");
    this.popup = root.querySelector(".completions");
    this.area.addEventListener("input", () => {
      this.#draw();
      this.#offer(false);
      this.onchange();
    });
    this.area.addEventListener("scroll", () => this.#follow());
    this.area.addEventListener("keydown", (event) => this.#key(event));
    this.area.addEventListener("blur", () => this.#close());
    this.area.addEventListener("click", () => this.#close());
    this.popup.addEventListener("mousedown", (event) => {
      event.preventDefault();
      const item = event.target.closest("[role=option]");
      if (item) this.#accept(Number(item.dataset.at));
    });
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.area.setSelectionRange(0, 0);
    this.area.scrollTop = 0;
    this.#marks.clear();
    this.#close();
    this.#draw();
  }

  set completion(completion) {
    this.#completion = completion;
  }

  // Marks lines: [{line, text, kind}], kind "bad" or "note".
  mark(faults) {
    this.#marks.clear();
    for (const { line, text, kind } of faults) {
      if (line && this.#marks.get(line)?.kind !== "bad") this.#marks.set(line, { text, kind });
    }
    this.area.setAttribute("aria-invalid", String(faults.some(({ kind }) => kind === "bad")));
    this.#draw();
  }

  // Puts the cursor at a place.
  go(line, column = 1) {
    const lines = this.text.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    const place = before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
    this.area.focus();
    this.area.setSelectionRange(place, place);
    this.area.scrollTop = Math.max(0, (line - 4) * this.#lineHeight());
    this.#follow();
  }

  #lineHeight() {
    return parseFloat(getComputedStyle(this.area).lineHeight);
  }

  #draw() {
    const lines = this.text.split("\n");
    const numbers = document.createDocumentFragment();
    const painted = document.createDocumentFragment();
    lines.forEach((line, at) => {
      const mark = this.#marks.get(at + 1);
      const number = element("span", mark ? `line ${mark.kind}` : "line", String(at + 1));
      if (mark) number.title = mark.text;
      numbers.append(number);
      const row = element("span", mark ? `line ${mark.kind}` : "line");
      row.append(...coloured(line), "\n");
      painted.append(row);
    });
    this.gutter.replaceChildren(numbers);
    this.paint.replaceChildren(painted);
    this.#follow();
  }

  #follow() {
    const { scrollTop, scrollLeft } = this.area;
    this.paint.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
    this.gutter.style.transform = `translateY(${-scrollTop}px)`;
  }

  #key(event) {
    const isOpen = !this.popup.hidden;
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      this.#offer(true);
    } else if (isOpen && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      const count = this.#list.options.length;
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.#list.at =
        this.#list.at < 0 && step < 0 ? count - 1 : (this.#list.at + step + count) % count;
      this.#show();
    } else if (isOpen && event.key === "Escape") {
      event.preventDefault();
      this.#close();
    } else if (isOpen && event.key === "Enter" && this.#list.at >= 0) {
      event.preventDefault();
      this.#accept(this.#list.at);
    } else if (isOpen && event.key === "Tab" && !event.shiftKey) {
      event.preventDefault();
      this.#accept(Math.max(0, this.#list.at));
    } else if (
      ["ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"].includes(event.key)
    ) {
      this.#close();
    }
  }

  #offer(isAsked) {
    const place = this.area.selectionStart;
    const isTyping = /[A-Za-z0-9_."[-]/.test(this.text[place - 1] ?? "");
    const found = isAsked || isTyping ? this.#completion?.at(this.text, place) : null;
    if (!found || place !== this.area.selectionEnd) return this.#close();
    this.#list = { ...found, at: isAsked ? 0 : -1 };
    this.#show();
  }

  #show() {
    const items = this.#list.options.map(({ label, detail }, at) => {
      const item = element("div", "");
      item.role = "option";
      item.id = `completion-${at}`;
      item.dataset.at = at;
      item.ariaSelected = String(at === this.#list.at);
      item.append(element("b", "", label), element("span", "", detail));
      return item;
    });
    this.popup.replaceChildren(...items);
    this.popup.hidden = false;
    const before = this.text.slice(0, this.#list.from);
    const line = before.split("\n").length - 1;
    const column = before.length - before.lastIndexOf("\n") - 1;
    const style = getComputedStyle(this.area);
    const height = this.#lineHeight();
    const left =
      this.area.offsetLeft +
      parseFloat(style.paddingLeft) +
      column * this.#letter() -
      this.area.scrollLeft;
    const top = parseFloat(style.paddingTop) + (line + 1) * height - this.area.scrollTop;
    const isLow = top + this.popup.offsetHeight > this.root.clientHeight;
    this.popup.style.left = `${Math.max(0, Math.min(left, this.root.clientWidth - this.popup.offsetWidth - 8))}px`;
    this.popup.style.top = `${isLow ? Math.max(0, top - height - this.popup.offsetHeight) : top}px`;
    this.area.setAttribute("aria-expanded", "true");
    if (this.#list.at >= 0) {
      this.area.setAttribute("aria-activedescendant", `completion-${this.#list.at}`);
      items[this.#list.at].scrollIntoView({ block: "nearest" });
    } else this.area.removeAttribute("aria-activedescendant");
  }

  #letter() {
    const context = (this.canvas ??= document.createElement("canvas")).getContext("2d");
    context.font = getComputedStyle(this.area).font;
    return context.measureText("m").width;
  }

  #close() {
    this.popup.hidden = true;
    this.area.setAttribute("aria-expanded", "false");
    this.area.removeAttribute("aria-activedescendant");
  }

  #accept(at) {
    const { from, options } = this.#list;
    const place = this.area.selectionStart;
    const isClosed = options[at].text.endsWith('"') && this.text[place] === '"';
    this.#close();
    this.area.setRangeText(options[at].text, from, place + (isClosed ? 1 : 0), "end");
    this.#draw();
    this.onchange();
    if (options[at].text.endsWith("= ")) this.#offer(true);
  }
}

export function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function coloured(line) {
  const parts = [];
  let end = 0;
  for (const found of line.matchAll(TOKEN)) {
    parts.push(line.slice(end, found.index));
    const at = found.slice(1).findIndex((group) => group !== undefined);
    parts.push(element("span", CLASSES[at], found[0]));
    end = found.index + found[0].length;
  }
  parts.push(line.slice(end));
  return parts;
}
