//! syntax @2:18 Legacy octal literals cannot be used in an ECMAScript module
export const x = 010;
