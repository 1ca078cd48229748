//! export the default export is null, where a schema file exports a collection o
export default null;
