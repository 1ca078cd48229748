//! forbidden @2:57 a schema file has no Function constructor: write the function itself
export const x = Object.getPrototypeOf(function* () {}).constructor("yield 1");
