//! syntax @2:14 Unicode escape sequence is out of range
export const \u{110000} = 1;
