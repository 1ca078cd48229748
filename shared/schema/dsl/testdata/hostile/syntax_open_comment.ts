//! syntax @2:28 the file ends in the middle of something: a bracket, a brace or a quot
export const a = 1; /* open
