//! forbidden @2:18 a schema file has no clock: the same files must always declare the sam
export const x = new Date().getFullYear();
