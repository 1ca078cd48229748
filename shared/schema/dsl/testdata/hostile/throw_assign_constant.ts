//! syntax @3:11 Cannot assign to "a" because it is a constant
const a = 1;
(() => { (a as any) = 2; })();
