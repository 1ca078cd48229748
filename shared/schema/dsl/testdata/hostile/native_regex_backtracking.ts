//! time_limit longer than the
export const x = /^(?=(a+)+$)(a+)+\1b$/.test("a".repeat(40));
