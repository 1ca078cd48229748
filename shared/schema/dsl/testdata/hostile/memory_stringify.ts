//! memory_limit|time_limit its evaluation
const long = "x".repeat(5e7);
export const x = JSON.stringify(Array.from({ length: 100 }, () => long));
