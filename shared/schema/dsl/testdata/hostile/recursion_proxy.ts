//! empty export no collection
let p: object = {};
for (let i = 0; i < 1e5; i++) p = new Proxy(p, {});
export const y = (p as { x?: number }).x;
