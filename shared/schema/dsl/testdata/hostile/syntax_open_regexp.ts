//! syntax @2:23 Unterminated regular expression
export const a = /open
