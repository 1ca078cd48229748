//! memory_limit|time_limit its evaluation
export const x = "x".repeat(1e5).replace(/x/g, "y".repeat(1e5));
