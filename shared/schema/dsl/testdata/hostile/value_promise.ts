//! export the default export is an object of the class Promise, where a schema f
export default Promise.resolve({ name: "notes", fields: {} });
