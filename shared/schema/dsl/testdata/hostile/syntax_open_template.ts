//! syntax @2:23 the file ends in the middle of something: a bracket, a brace or a quot
export const a = `open
