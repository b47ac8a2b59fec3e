// The module in a worker, for a page: calls that can be waited for, and ended.

let compiled;

function module() {
  compiled ??= fetch(new URL("waywarden.wasm", import.meta.url))
    .then((response) => {
      if (!response.ok) throw new Error(`waywarden.wasm cannot be loaded (${response.status})`);
      return response.arrayBuffer();
    })
    .then((bytes) => WebAssembly.compile(bytes));
  return compiled;
}

// Reason for a call that the page ended.
export class Stopped extends Error {}

export class Laboratory {
  #worker;
  #waiting = new Map();
  #next = 0;
  // Called with (done, total) while a vehicle runs.
  onprogress = () => {};

  async #started() {
    const code = await module();
    if (!this.#worker) {
      this.#worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
      this.#worker.onmessage = ({ data }) => this.#take(data);
      this.#worker.onerror = (event) =>
        this.#end(new Error(event.message || "the worker cannot be started"));
      this.#worker.postMessage({ module: code });
    }
    return this.#worker;
  }

  #take(data) {
    if (data.id === undefined) return this.onprogress(data.done, data.total);
    const { resolve, reject } = this.#waiting.get(data.id);
    this.#waiting.delete(data.id);
    if (data.broken === undefined) return resolve(data);
    reject(new Error(data.broken));
    this.#end(new Error("the module stopped; ask again"));
  }

  // Calls a function of the module with texts: {parts, ms}, or {faults, omitted}.
  async call(name, ...texts) {
    const worker = await this.#started();
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ id, name, texts });
    });
  }

  // Ends whatever is under way; the next call begins anew.
  stop() {
    this.#end(new Stopped("stopped"));
  }

  #end(reason) {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }
}
