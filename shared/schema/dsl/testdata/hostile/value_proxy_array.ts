//! export the default export is a Proxy, where a schema file exports a collectio
export default new Proxy([], {});
