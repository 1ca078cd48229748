//! recursion @2:43 calls are nested deeper than 2000 here
const o = { get x(): number { return this.x; } };
export const y = o.x;
