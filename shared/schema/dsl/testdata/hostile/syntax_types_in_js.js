//! syntax @2:15 Expected ";" but found ":"
export const a: string = "x";
