//! memory_limit|time_limit its evaluation
export const x = "a".padEnd(2 ** 30);
