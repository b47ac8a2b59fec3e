// A headless Chromium behind its debugging pipe: no package is needed for it.

import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as later } from "node:timers/promises";

export class Chromium {
  #next = 1;
  #waiting = new Map();
  #pages = new Map();

  static async start(program) {
    const made = new Chromium();
    made.profile = await mkdtemp(join(tmpdir(), "waywarden-browser-"));
    const options = [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--hide-scrollbars",
      "--remote-debugging-pipe",
      "--no-first-run",
      `--user-data-dir=${made.profile}`,
      "about:blank",
    ];
    made.process = spawn(program, options, {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    made.ended = new Promise((resolve) => made.process.on("exit", resolve));
    let rest = "";
    made.process.stdio[4].setEncoding("utf8").on("data", (data) => {
      const parts = (rest + data).split("\0");
      rest = parts.pop();
      parts.forEach((part) => made.#take(JSON.parse(part)));
    });
    return made;
  }

  #take(message) {
    if (message.id) {
      const { resolve, reject } = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      return message.error ? reject(new Error(message.error.message)) : resolve(message.result);
    }
    this.#pages.get(message.sessionId)?.take(message);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#next++;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  async page(address, width, height, isDark = false) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    this.#pages.set(sessionId, page);
    for (const domain of ["Page", "Runtime", "Network", "Log"]) await page.send(`${domain}.enable`);
    await page.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: width < 600,
    });
    await page.send("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value: isDark ? "dark" : "light" }],
    });
    await page.send("Page.navigate", { url: address });
    await page.until("document.documentElement?.dataset.ready", "the page is ready");
    return page;
  }

  async stop() {
    await this.send("Browser.close").catch(() => {});
    await this.ended;
    await rm(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Page {
  // Addresses that the page asked for, and its complaints.
  requests = [];
  complaints = [];

  constructor(browser, session, target) {
    Object.assign(this, { browser, session, target });
  }

  take({ method, params }) {
    if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    if (method === "Runtime.exceptionThrown")
      this.complaints.push(
        params.exceptionDetails.exception?.description ?? params.exceptionDetails.text,
      );
    if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level))
      this.complaints.push(params.entry.text);
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  async value(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails)
      throw new Error(
        `${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`,
      );
    return result.value;
  }

  async until(expression, what, seconds = 60) {
    for (const end = Date.now() + seconds * 1e3; Date.now() < end; await later(50)) {
      if (await this.value(expression)) return;
    }
    const status = await this.value("document.getElementById('status')?.textContent");
    throw new Error(`not within ${seconds} s: ${what}; the page says: ${status}`);
  }

  click(id) {
    return this.value(`document.getElementById("${id}").click()`);
  }

  async press(key, { code = key, number = 0, modifiers = 0, text = undefined } = {}) {
    const event = { key, code, windowsVirtualKeyCode: number, modifiers, text };
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", ...event });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event, text: undefined });
  }

  type(text) {
    return this.send("Input.insertText", { text });
  }

  async screenshot(path) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    await writeFile(path, Buffer.from(data, "base64"));
  }

  close() {
    return this.browser.send("Target.closeTarget", { targetId: this.target });
  }
}
