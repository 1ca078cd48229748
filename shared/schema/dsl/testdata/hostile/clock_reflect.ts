//! forbidden @2:26 a schema file has no clock: the same files must always declare the sam
export const x = Reflect.construct(Date, []);
