//! memory_limit|time_limit its evaluation
let f: (...a: number[]) => number = () => 1;
for (let i = 0; i < 1e6; i++) f = f.bind(null, 1);
export const x = f();
