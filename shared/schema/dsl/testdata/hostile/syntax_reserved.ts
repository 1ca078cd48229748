//! syntax @2:14 "yield" is a reserved word and cannot be used in an ECMAScript module
export const yield = 1;
