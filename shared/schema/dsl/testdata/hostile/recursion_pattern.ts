//! thrown @2:18 SyntaxError: Invalid regular expression (re2): (((((((((((((((((((((((
export const x = new RegExp("(".repeat(1e5) + ")".repeat(1e5));
