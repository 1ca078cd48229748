//! time_limit longer than the
let a: unknown[] = [];
for (let i = 0; i < 1e5; i++) a = [a];
export const x = JSON.stringify(a);
