// Keys and words that may stand at a place of a vehicle file, from its JSON Schema.

const HEADER = /^\s*(\[\[?)\s*([A-Za-z0-9_.-]+)\s*\]\]?/;

// Keys whose values are names of tables of the same file, by the kind of the table.
const NAMING = {
  bus: ["bus", "ports", "from", "to", "buses"],
  ecu: [
    "sender",
    "receivers",
    "receiver",
    "ecu",
    "ecus",
    "gateway",
    "members",
    "orchestrator",
    "via",
  ],
  stream: ["stream", "streams", "messages"],
};

export class Completion {
  constructor(schema) {
    this.schema = schema;
  }

  #resolved(schema) {
    let one = schema;
    while (one?.$ref) one = { ...this.schema.$defs[one.$ref.split("/").pop()], ...without(one) };
    return one;
  }

  // The tables a schema may be: a table of several kinds has one for each.
  #tables(schema) {
    const one = this.#resolved(schema);
    if (!one) return [];
    if (one.items) return this.#tables(one.items);
    const own = one.properties ? [one] : [];
    const kinds = [...(one.oneOf ?? []), ...(one.anyOf ?? [])];
    return own.concat(kinds.flatMap((kind) => this.#tables(kind)));
  }

  // The properties of the table that has this path, as {key: [schemas]}; `stated` are the keys and
  // words that it has already, which tell kinds apart.
  #properties(path, stated) {
    let tables = [this.schema];
    for (const name of path) {
      tables = tables.flatMap((table) => {
        const below = table.properties?.[name] ?? (table.additionalProperties || undefined);
        return below ? this.#tables(below) : [];
      });
    }
    const fits = (table) =>
      Object.entries(table.properties ?? {}).every(([key, value]) => {
        const word = stated.get(key);
        const words = value.const !== undefined ? [value.const] : value.enum;
        return word === undefined || !words || words.includes(word);
      });
    const properties = new Map();
    for (const table of tables.filter(fits)) {
      for (const [key, value] of Object.entries(table.properties ?? {})) {
        properties.set(key, [...(properties.get(key) ?? []), value]);
      }
    }
    return properties;
  }

  // Options for a place: {from, options: [{text, label, detail}]}, or null if there are none.
  at(text, place) {
    const lineStart = text.lastIndexOf("\n", place - 1) + 1;
    const line = text.slice(lineStart, place);
    const { path, stated } = around(text, lineStart);
    const header = line.match(/^\s*\[\[?([A-Za-z0-9_.-]*)$/);
    if (header) return this.#headers(header[1], place, line.includes("[["));
    const key = line.match(/^\s*([A-Za-z0-9_-]*)$/);
    if (key) return this.#keys(path, stated, key[1], place);
    const value = line.match(/^\s*([A-Za-z0-9_-]+)\s*=\s*("?)([^"#]*)$/);
    if (value) return this.#values(path, stated, value, place, named(text, value[1]));
    const list = line.match(/^\s*([A-Za-z0-9_-]+)\s*=\s*\[(?:[^\]#]*,)?\s*("?)([^"#\],]*)$/);
    if (list) return options(list[2] + list[3], place, named(text, list[1]), list[3]);
    return null;
  }

  #headers(begun, place, isList) {
    const found = [];
    const parts = begun.split(".");
    const above = parts.slice(0, -1);
    for (const [name, schemas] of this.#properties(above, new Map())) {
      const one = this.#resolved(schemas[0]);
      const list = one?.type === "array" && one.items && this.#tables(one.items).length > 0;
      const table = one?.type === "object" || one?.oneOf;
      if (isList ? !list : !table) continue;
      const whole = [...above, name].join(".");
      found.push({
        text: whole,
        label: whole,
        detail: schemas[0].description ?? one.description ?? "",
      });
    }
    return options(begun, place, found);
  }

  #keys(path, stated, begun, place) {
    const found = [];
    for (const [name, schemas] of this.#properties(path, stated)) {
      if (stated.has(name)) continue;
      const one = this.#resolved(schemas[0]);
      const isTable =
        path.length === 0 || (one?.type === "array" && this.#tables(one.items).length > 0);
      if (isTable) continue;
      found.push({
        text: `${name} = `,
        label: name,
        detail: schemas[0].description ?? one?.description ?? "",
      });
    }
    return options(begun, place, found);
  }

  #values(path, stated, [, key, quote, begun], place, names) {
    const before = new Map(stated);
    before.delete(key);
    const schemas = this.#properties(path, before).get(key) ?? [];
    const found = new Map();
    const add = (value, detail) => {
      if (typeof value === "string") found.set(value, { text: `"${value}"`, label: value, detail });
      else if (!quote)
        found.set(String(value), { text: String(value), label: String(value), detail });
    };
    const visit = (schema) => {
      const one = this.#resolved(schema);
      if (!one) return;
      if (one.default !== undefined) add(one.default, "the default");
      for (const word of one.enum ?? []) add(word, "");
      if (one.const !== undefined) add(one.const, "");
      if (one.type === "boolean") [true, false].forEach((flag) => add(flag, ""));
      for (const example of one.examples ?? []) add(example, "an example");
      for (const inner of one.anyOf ?? []) visit(inner);
    };
    schemas.forEach(visit);
    if (schemas.length) names.forEach((name) => found.set(name.label, name));
    return options(quote + begun, place, [...found.values()], begun);
  }
}

function without({ $ref, ...rest }) {
  return rest;
}

function options(replaced, place, all, begun = replaced) {
  const wanted = begun.toLowerCase();
  const found = all.filter(
    ({ label }) => label.toLowerCase().startsWith(wanted) && label !== begun,
  );
  found.sort((one, other) => one.label.localeCompare(other.label));
  return found.length ? { from: place - replaced.length, options: found } : null;
}

// The table that a line stands in: its path, and the words that it has.
function around(text, lineStart) {
  const lines = text.slice(0, lineStart).split("\n");
  let top = lines.length - 1;
  while (top >= 0 && !HEADER.test(lines[top])) top -= 1;
  const path = top < 0 ? [] : lines[top].match(HEADER)[2].split(".");
  const rest = text.slice(lineStart).split("\n").slice(1);
  const end = rest.findIndex((line) => HEADER.test(line));
  const stated = new Map();
  for (const line of [...lines.slice(top + 1), ...rest.slice(0, end < 0 ? undefined : end)]) {
    const found = line.match(/^\s*([A-Za-z0-9_-]+)\s*=\s*(?:"([^"]*)")?/);
    if (found) stated.set(found[1], found[2] ?? null);
  }
  return { path, stated: new Map([...stated].map(([key, word]) => [key, word ?? undefined])) };
}

// Names that a key may have as its value: those of the tables that it refers to.
function named(text, key) {
  const kinds = Object.keys(NAMING).filter((kind) => NAMING[kind].includes(key));
  const found = [];
  let kind;
  for (const line of text.split("\n")) {
    const header = line.match(HEADER);
    if (header) kind = header[2] === "ecu.sends" ? "stream" : header[2];
    const name = kinds.includes(kind) && line.match(/^\s*name\s*=\s*"([^"]+)"/);
    if (name)
      found.push({ text: `"${name[1]}"`, label: name[1], detail: `a ${kind} of this file` });
  }
  return found;
}
