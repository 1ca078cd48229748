//! thrown @2:8 TypeError: Cannot define property toJSON, object is not extensible
Object.defineProperty(Object.prototype, "toJSON", { value: () => 1 });
