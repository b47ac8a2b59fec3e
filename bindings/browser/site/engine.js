// The module of WebAssembly behind functions of JavaScript. Runs in a worker, in a page and in Node:
// it knows of no element and no file.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// Makes an instance. `progress(done, total)` is called while a vehicle runs.
export async function start(module, progress = () => {}) {
  let memory;
  let panic = "";
  let isBroken = false;
  const waywarden = {
    progress,
    panicked(at, length) {
      panic = decoder.decode(new Uint8Array(memory.buffer, at, length));
    },
  };
  const instance = await WebAssembly.instantiate(module, { waywarden });
  const functions = instance.exports;
  memory = functions.memory;

  // Calls a function with texts; returns its parts as bytes, or its faults.
  function call(name, ...texts) {
    const given = [];
    let answer = 0;
    try {
      for (const text of texts) given.push(copy(encoder.encode(text)));
      answer = functions[name](...given.flat());
      return taken(answer);
    } catch (error) {
      // A trap leaves the instance unusable; its worker is started again.
      isBroken = true;
      throw new Error(panic || `the module stopped: ${error.message}`);
    } finally {
      if (!isBroken) {
        if (answer) functions.waywarden_answer_free(answer);
        for (const [at, length] of given) functions.waywarden_free(at, length);
      }
    }
  }

  function copy(bytes) {
    const at = functions.waywarden_allocate(bytes.length);
    if (!at) throw new Error("no memory is left in the browser for this text");
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    return [at, bytes.length];
  }

  function taken(answer) {
    const parts = [];
    for (let part = 0; ; part += 1) {
      const at = functions.waywarden_answer_part(answer, part) >>> 0;
      if (!at) break;
      const length = functions.waywarden_answer_length(answer, part) >>> 0;
      parts.push(new Uint8Array(memory.buffer, at, length).slice());
    }
    if (functions.waywarden_answer_is_given(answer)) return { parts };
    return JSON.parse(decoder.decode(parts[0]));
  }

  return call;
}
