//! forbidden @2:23 a schema file has no clock: the same files must always declare the sam
export const x = Date.now();
