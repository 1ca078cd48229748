//! forbidden @2:56 a schema file has no Function constructor: write the function itself
export const x = Object.getPrototypeOf(async () => {}).constructor("return 1");
