//! memory_limit|time_limit its evaluation
export const x = Array.from({ length: 1e9 });
