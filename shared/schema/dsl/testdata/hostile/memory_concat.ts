//! memory_limit|time_limit its evaluation
let a: number[] = [1, 2, 3, 4];
for (;;) a = a.concat(a);
