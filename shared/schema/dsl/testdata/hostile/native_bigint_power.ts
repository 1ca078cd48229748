//! time_limit longer than the
export const x = BigInt(7) ** BigInt(1e9);
