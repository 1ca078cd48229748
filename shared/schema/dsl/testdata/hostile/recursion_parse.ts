//! recursion the text, the values or the calls are nested too deep
export const x = JSON.parse("[".repeat(1e6) + "]".repeat(1e6));
