//! recursion @2:44 calls are nested deeper than 2000 here
const o = { toString(): string { return `${o}`; } };
export const y = String(o);
