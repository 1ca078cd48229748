//! memory_limit|time_limit its evaluation
const errors: Error[] = [];
for (;;) errors.push(new Error("x".repeat(1000)));
