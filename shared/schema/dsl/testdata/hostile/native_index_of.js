//! time_limit longer than the
export const x = Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);
