//! time_limit longer than the
export const x = Array.prototype.reverse.call({ length: 2 ** 53 - 1 });
