//! memory_limit|time_limit its evaluation
let a: unknown[] = [];
for (;;) a = [a];
