//! memory_limit|time_limit its evaluation
export const x = "x".repeat(1e9);
