// Runs before any schema file: takes away what makes programs out of text, and freezes the language, so that one file
// cannot change what another one means. What it returns is how values are looked at, out of the files' reach.
(function (refuse) {
  "use strict";
  const { getOwnPropertyDescriptor, getPrototypeOf, defineProperty, freeze } = Object;
  const { ownKeys } = Reflect;

  const noText = (what) => function () { refuse(what); };
  const noFunction = noText("a schema file has no Function constructor: write the function itself");
  const kinds = [function () {}, function* () {}, async function () {}];
  for (const kind of kinds) {
    defineProperty(getPrototypeOf(kind), "constructor", { value: noFunction });
  }
  defineProperty(noFunction, "prototype", { value: Function.prototype });
  globalThis.Function = noFunction;
  globalThis.eval = noText("a schema file has no eval: write the code itself");
  globalThis.require = noText('a schema file has no require: write import { … } from "./file"');
  globalThis.require.resolve = globalThis.require;

  const seen = new Set();
  const roots = [
    globalThis, ...kinds.map(getPrototypeOf),
    [][Symbol.iterator](), new Map()[Symbol.iterator](), new Set()[Symbol.iterator](), ""[Symbol.iterator](),
    "".matchAll(/./g), getPrototypeOf(Int8Array), (function* () {})(),
  ];
  while (roots.length > 0) {
    const it = roots.pop();
    if (it === null || (typeof it !== "object" && typeof it !== "function") || seen.has(it)) {
      continue;
    }
    seen.add(it);
    roots.push(getPrototypeOf(it));
    for (const key of ownKeys(it)) {
      const { value, get, set } = getOwnPropertyDescriptor(it, key);
      roots.push(value, get, set);
    }
  }
  for (const it of seen) {
    freeze(it);
  }
  return {
    descriptor: getOwnPropertyDescriptor,
    keys: ownKeys,
    at: Symbol.for("svc.at"),
    kind: Symbol.for("svc.kind"),
    exact: Symbol.for("svc.exact"),
  };
})
