//! syntax @3:7 The symbol "a" has already been declared
const a = 1;
const a = 2;
