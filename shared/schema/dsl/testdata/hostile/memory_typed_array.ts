//! memory_limit|time_limit its evaluation
export const x = new Uint8Array(2e9);
