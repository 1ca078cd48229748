//! memory_limit|time_limit its evaluation
export const x = Array(1e9).join("x").length;
