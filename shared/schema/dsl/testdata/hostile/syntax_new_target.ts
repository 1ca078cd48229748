//! syntax @2:18 Cannot use "new.target" here:
export const a = new.target;
