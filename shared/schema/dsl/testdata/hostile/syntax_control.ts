//! syntax @2:19 Expected ";" but found "\x01"
export const a = 1;
