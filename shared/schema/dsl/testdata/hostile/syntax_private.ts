//! syntax @2:21 Private name "#x" must be declared in an enclosing class
export const a = {}.#x;
