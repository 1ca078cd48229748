//! time_limit longer than the
export const x = /(?=x)?((a|aa)+)+\1$/.test("a".repeat(60) + "!");
