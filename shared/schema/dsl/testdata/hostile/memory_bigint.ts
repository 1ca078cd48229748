//! memory_limit|time_limit its evaluation
let b = BigInt(2);
for (;;) b = b * b;
