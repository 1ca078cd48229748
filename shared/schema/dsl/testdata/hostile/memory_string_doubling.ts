//! memory_limit|time_limit its evaluation
let s = "x";
for (let i = 0; i < 60; i++) s += s;
export const x = s.length;
