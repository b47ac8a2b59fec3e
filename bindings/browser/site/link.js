// A vehicle file in the fragment of an address: deflated, in base64url. A fragment is not sent to
// the server that the page comes from.

// The longest link, which programs for mail and chat still carry; and the longest text of one.
const LINK_MAX = 16000;
const TEXT_MAX = 1 << 20;
const MARK = "#file=";

async function through(bytes, stream, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new Error("it holds more than 1 MiB");
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

// Returns the address that carries a file.
export async function linkOf(text, page) {
  const bytes = await through(
    new TextEncoder().encode(text),
    new CompressionStream("deflate-raw"),
    Infinity,
  );
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  const base64 = btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const link = page.split("#")[0] + MARK + base64;
  if (link.length > LINK_MAX) {
    throw new Error(
      `This file makes a link of ${link.length.toLocaleString("en")} characters; a link carries at most ` +
        `${LINK_MAX.toLocaleString("en")}. Save the file and send it instead.`,
    );
  }
  return link;
}

// Returns the file in a fragment; null if there is none.
export async function fileOf(fragment) {
  if (!fragment.startsWith(MARK)) return null;
  try {
    const base64 = fragment.slice(MARK.length).replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const text = await through(bytes, new DecompressionStream("deflate-raw"), TEXT_MAX);
    return new TextDecoder("utf-8", { fatal: true }).decode(text);
  } catch (error) {
    throw new Error(`This link does not carry a whole file (${error.message}). Ask for it again.`);
  }
}
