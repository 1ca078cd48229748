//! memory_limit|time_limit its evaluation
let a: unknown[] = [];
for (let i = 0; i < 1e6; i++) a = [a];
export const x = (a as unknown[][]).flat(Infinity);
