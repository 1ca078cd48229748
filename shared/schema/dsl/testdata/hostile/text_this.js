//! thrown @2:14 TypeError: Cannot read property 'eval' of undefined or null
export const x = this.eval("1");
