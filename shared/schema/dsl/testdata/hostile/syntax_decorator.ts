//! syntax @2:27 Expected "class" but found "1"
export const x = @nothing 1;
