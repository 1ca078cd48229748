//! forbidden @2:23 a schema file has no chance: the same files must always declare the sa
export const x = Math.random();
