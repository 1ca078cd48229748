//! thrown @2:8 TypeError: [object Object] is not extensible
Object.setPrototypeOf(Object.prototype, new Proxy({}, {}));
