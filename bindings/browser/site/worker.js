// One instance of the module in a thread of its own. It answers in the order in which it is asked;
// who will not wait for it ends it.

import { start } from "./engine.js";

const decoder = new TextDecoder();
let engine;

self.onmessage = async ({ data }) => {
  if (data.module) {
    engine = start(data.module, (done, total) => postMessage({ done, total }));
    return;
  }
  try {
    const call = await engine;
    const begun = performance.now();
    const answer = call(data.name, ...data.texts);
    const parts = answer.parts?.map((part) => decoder.decode(part));
    postMessage({
      id: data.id,
      parts,
      faults: answer.faults,
      omitted: answer.omitted,
      ms: performance.now() - begun,
    });
  } catch (error) {
    postMessage({ id: data.id, broken: error.message });
  }
};
