//! memory_limit|time_limit its evaluation
export const x = "a".repeat(1e8).split("");
