//! export the default export is a Proxy, where a schema file exports a collectio
const trap = () => { for (;;) {} };
export default new Proxy({}, { get: trap, has: trap, ownKeys: trap, getOwnPropertyDescriptor: trap, getPrototypeOf: trap });
