//! export the default export is a number, where a schema file exports a collecti
export default 1;
