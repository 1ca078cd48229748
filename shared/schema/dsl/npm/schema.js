// The builders of "svc/schema". Each returns a plain, frozen object, which written as JSON is the canonical form of a
// collection or of a part of it. Only the shape is looked at here: whether every option exists and fits is decided
// where collections are read, so that all faults are told at once.
//
// Three properties of what a builder returns are not enumerable and so no part of the JSON:
//   Symbol.for("svc.kind")   what it is: "collection", "field", "item", "block", "rule" or "exact"
//   Symbol.for("svc.at")     what the global function __svc_here returned when the builder was called, if there is one:
//                            where the call stands in its file
//   Symbol.for("svc.exact")  of exact(): the JSON text to write in place of the object
//
// The file is ES2017 and keeps the functions of the language that it uses, whatever is done to them after it loaded.

const { create, defineProperty, freeze, getPrototypeOf, keys } = Object;
const { isArray } = Array;
const { apply, ownKeys } = Reflect;
const isEnumerable = Object.prototype.propertyIsEnumerable;
const beginning = String.prototype.slice;
const plain = Object.prototype;
const Refusal = TypeError;
const kindOf = Symbol.for("svc.kind");
const placeOf = Symbol.for("svc.at");
const textOf = Symbol.for("svc.exact");
const here = typeof __svc_here === "function" ? __svc_here : undefined;

function refuse(message) {
  throw new Refusal(message);
}

/** A key that somebody made up, for a message: the beginning of it. */
function show(key) {
  return key.length > 60 ? apply(beginning, key, [0, 60]) + "…" : key;
}

function set(object, key, value, enumerable) {
  defineProperty(object, key, { __proto__: null, value, enumerable, writable: false, configurable: false });
}

/** The kind of what a builder returned; undefined of anything else. */
function built(value) {
  return typeof value === "object" && value !== null ? value[kindOf] : undefined;
}

function isPlain(value) {
  if (typeof value !== "object" || value === null || isArray(value)) {
    return false;
  }
  const parent = getPrototypeOf(value);
  return parent === plain || parent === null;
}

const nouns = {
  __proto__: null,
  collection: "a collection",
  field: "a field",
  item: "the items of a list",
  block: "a block",
  rule: "a policy rule",
  exact: "an exact value",
};

function describe(value) {
  const kind = built(value);
  if (kind !== undefined && nouns[kind] !== undefined) {
    return nouns[kind];
  }
  if (value === null) {
    return "null";
  }
  if (isArray(value)) {
    return "an array";
  }
  switch (typeof value) {
    case "object":
      return "an object of a class, or with another prototype";
    case "undefined":
      return "undefined";
    default:
      return "a " + typeof value;
  }
}

// What each builder is called like, for those who called it otherwise.
const examples = {
  __proto__: null,
  collection: 'collection({ name: "posts", fields: { title: text() } })',
  singleton: 'singleton({ name: "home", fields: { title: text() } })',
  text: "text({ maxLength: 80 })",
  number: "number({ integer: true })",
  boolean: "boolean({ default: false })",
  date: 'date({ min: "2026-01-31" })',
  datetime: 'datetime({ min: "2026-01-31T09:00:00+01:00" })',
  markdown: "markdown({ maxLength: 4000 })",
  json: 'json({ label: "Data" })',
  asset: 'asset({ allowed: ["image/*"] })',
  reference: 'reference({ to: "authors" })',
  slug: 'slug({ from: "title" })',
  list: "list({ of: item.text() })",
  object: "object({ fields: { title: text() } })",
  richText: "richText({ required: true })",
  blocks: 'blocks({ allowed: [block({ key: "quote", fields: { text: markdown() } })] })',
  block: 'block({ key: "quote", fields: { text: markdown() } })',
  "item.text": "item.text({ maxLength: 80 })",
  "item.number": "item.number({ integer: true })",
  "item.boolean": "item.boolean()",
  "item.date": 'item.date({ min: "2026-01-31" })',
  "item.datetime": 'item.datetime({ min: "2026-01-31T09:00:00+01:00" })',
  "item.markdown": "item.markdown({ maxLength: 4000 })",
  "item.json": "item.json()",
  "item.reference": 'item.reference({ to: "authors" })',
  "item.asset": 'item.asset({ allowed: ["image/*"] })',
  "item.object": "item.object({ fields: { title: text() } })",
  "rule.length": 'rule.length("title", { max: 60 })',
  "rule.required": 'rule.required(["summary"])',
  "rule.bannedTerms": 'rule.bannedTerms(["foo"], { fields: ["title"] })',
  "rule.altText": 'rule.altText({ reason: "…" })',
};

const counts = ["no argument", "one argument", "two arguments"];

/** The options object behind the other arguments of a builder; an absent one is empty. */
function optionsOf(name, args, before) {
  if (args.length > before + 1) {
    refuse(name + "() takes " + counts[before + 1] + " at most, such as " + examples[name] + ", not " + args.length);
  }
  const options = args[before];
  if (options === undefined) {
    return {};
  }
  if (!isPlain(options)) {
    refuse(name + "() takes its options as a plain object, such as " + examples[name] + ", not " + describe(options));
  }
  const kind = built(options);
  if (kind !== undefined) {
    refuse(name + "() takes its options as a plain object, such as " + examples[name] + ", not " + nouns[kind] +
      " that is built already");
  }
  return options;
}

/** Makes the object of a builder: what the builder says itself, and the options behind it. */
function make(name, kind, said, options) {
  const made = {};
  const own = keys(said);
  for (let i = 0; i < own.length; i++) {
    if (said[own[i]] !== undefined) {
      set(made, own[i], said[own[i]], true);
    }
  }
  const given = ownKeys(options);
  for (let i = 0; i < given.length; i++) {
    const key = given[i];
    if (!apply(isEnumerable, options, [key])) {
      continue;
    }
    if (typeof key === "symbol") {
      refuse(name + "(): the key of an option is a string, not a symbol");
    }
    const value = options[key];
    let isSaid = false;
    for (let j = 0; j < own.length; j++) {
      isSaid = isSaid || own[j] === key;
    }
    if (isSaid) {
      if (value !== undefined && value !== said[key]) {
        refuse(name + "() has no option " + key + ": the builder itself says what it is, as in " + examples[name]);
      }
    } else if (value !== undefined) {
      set(made, key, value, true);
    }
  }
  set(made, kindOf, kind, false);
  if (here !== undefined) {
    set(made, placeOf, here(), false);
  }
  return freeze(made);
}

/** Refuses what another builder should have built, in the map that the option "fields" is. */
function checkFields(name, options) {
  const fields = options.fields;
  if (fields === undefined) {
    const given = keys(options);
    for (let i = 0; i < given.length; i++) {
      if (built(options[given[i]]) === "field") {
        refuse(name + '() takes its fields under the option "fields", as in ' + examples[name] + ", but " + show(given[i]) +
          " stands beside its options");
      }
    }
    return;
  }
  if (!isPlain(fields) || built(fields) !== undefined) {
    refuse(name + "(): fields takes a plain object of fields by key, as in " + examples[name] + ", not " +
      describe(fields));
  }
  const given = keys(fields);
  for (let i = 0; i < given.length; i++) {
    const key = given[i];
    const value = fields[key];
    const kind = built(value);
    if (kind === "item") {
      refuse(name + "(): fields." + show(key) + " is built with item." + value.type + "(), which is for the items of a list; " +
        "a field is built with " + value.type + "()");
    }
    if (kind !== "field" && !isPlain(value) || kind !== undefined && kind !== "field") {
      refuse(name + "(): fields." + show(key) + " must be a field, such as text() or " + examples.list + ", not " +
        (typeof value === "function" ? "the builder itself; call it: text()" : describe(value)));
    }
  }
}

/** Refuses what is not for the items of a list, in the option "of". */
function checkItem(name, options) {
  const of = options.of;
  if (of === undefined) {
    return;
  }
  const kind = built(of);
  if (kind === "field" && of.type === "list") {
    refuse(name + "(): a list cannot hold lists; put an object around the inner one, as in " +
      "list({ of: item.object({ fields: { values: list({ of: item.text() }) } }) })");
  }
  if (kind === "field" && of.type === "slug") {
    refuse(name + "(): a list cannot hold slugs, which stand at the top level of a collection; item.text() holds texts");
  }
  if (kind === "field" && (of.type === "richText" || of.type === "blocks")) {
    refuse(name + "(): a list cannot hold " + of.type + " itself; put an object around it, as in " +
      "list({ of: item.object({ fields: { content: " + of.type + "(" + (of.type === "blocks" ? "{ allowed: [block(…)] }" : "") + ") } }) })");
  }
  if (kind === "field") {
    refuse(name + "(): of takes the items of a list, built with item." + of.type + "(), not a field, built with " +
      of.type + "()");
  }
  if (kind !== "item" && !isPlain(of) || kind !== undefined && kind !== "item") {
    refuse(name + "(): of takes the items of a list, as in " + examples.list + ", not " + describe(of));
  }
}

/** Refuses what is of another kind, in an option that lists blocks or policy rules. */
function checkEach(name, options, option, kind) {
  const all = options[option];
  if (all === undefined) {
    return;
  }
  if (!isArray(all)) {
    refuse(name + "(): " + option + " takes an array, as in " + option + ": [" + examples[kind] + "], not " +
      describe(all));
  }
  for (let i = 0; i < all.length; i++) {
    const found = built(all[i]);
    if (found !== kind && !isPlain(all[i]) || found !== undefined && found !== kind) {
      refuse(name + "(): " + option + "[" + i + "] must be " + nouns[kind] + ", as in " + examples[kind] + ", not " +
        describe(all[i]));
    }
  }
}
examples.rule = examples["rule.length"];

/** A builder of fields, or of the items of a list. */
function builder(name, kind, type, check) {
  return function () {
    const options = optionsOf(name, arguments, 0);
    if (check !== undefined) {
      check(name, options);
    }
    return make(name, kind, { __proto__: null, type }, options);
  };
}

function checkBlocks(name, options) {
  checkEach(name, options, "allowed", "block");
}

function checkCollection(name, options) {
  checkFields(name, options);
  checkEach(name, options, "policy", "rule");
}

export function collection() {
  const options = optionsOf("collection", arguments, 0);
  checkCollection("collection", options);
  return make("collection", "collection", create(null), options);
}

export function singleton() {
  const options = optionsOf("singleton", arguments, 0);
  checkCollection("singleton", options);
  return make("singleton", "collection", { __proto__: null, kind: "singleton" }, options);
}

export const text = builder("text", "field", "text");
export const number = builder("number", "field", "number");
export const boolean = builder("boolean", "field", "boolean");
export const date = builder("date", "field", "date");
export const datetime = builder("datetime", "field", "datetime");
export const markdown = builder("markdown", "field", "markdown");
export const json = builder("json", "field", "json");
export const asset = builder("asset", "field", "asset");
export const reference = builder("reference", "field", "reference");
export const slug = builder("slug", "field", "slug");
export const list = builder("list", "field", "list", checkItem);
export const object = builder("object", "field", "object", checkFields);
export const richText = builder("richText", "field", "richText");
export const blocks = builder("blocks", "field", "blocks", checkBlocks);

export function block() {
  const options = optionsOf("block", arguments, 0);
  checkFields("block", options);
  return make("block", "block", create(null), options);
}

const items = {
  text: builder("item.text", "item", "text"),
  number: builder("item.number", "item", "number"),
  boolean: builder("item.boolean", "item", "boolean"),
  date: builder("item.date", "item", "date"),
  datetime: builder("item.datetime", "item", "datetime"),
  markdown: builder("item.markdown", "item", "markdown"),
  json: builder("item.json", "item", "json"),
  reference: builder("item.reference", "item", "reference"),
  asset: builder("item.asset", "item", "asset"),
  object: builder("item.object", "item", "object", checkFields),
};

// The fields that no list holds, to say so to who looks for them.
function noItem(type) {
  set(items, type, function () {
    checkItem("list", { of: make(type, "field", { __proto__: null, type }, {}) });
  }, false);
}
noItem("list");
noItem("slug");
noItem("richText");
noItem("blocks");

export const item = freeze(items);

export const rule = freeze({
  length: function (field) {
    return make("rule.length", "rule", { __proto__: null, rule: "length", field }, optionsOf("rule.length", arguments, 1));
  },
  required: function (fields) {
    return make("rule.required", "rule", { __proto__: null, rule: "required", fields },
      optionsOf("rule.required", arguments, 1));
  },
  bannedTerms: function (terms) {
    return make("rule.bannedTerms", "rule", { __proto__: null, rule: "bannedTerms", terms },
      optionsOf("rule.bannedTerms", arguments, 1));
  },
  altText: function () {
    return make("rule.altText", "rule", { __proto__: null, rule: "altText" }, optionsOf("rule.altText", arguments, 0));
  },
});

export function exact(text) {
  if (arguments.length !== 1 || typeof text !== "string") {
    refuse('exact() takes the text of one JSON value, such as exact("12345678901234567890.5"), not ' +
      (arguments.length > 1 ? arguments.length + " arguments" : describe(text)));
  }
  const made = {};
  set(made, textOf, text, false);
  set(made, kindOf, "exact", false);
  if (here !== undefined) {
    set(made, placeOf, here(), false);
  }
  return freeze(made);
}
