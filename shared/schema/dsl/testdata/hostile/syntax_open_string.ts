//! syntax @2:23 Unterminated string literal
export const a = "open
