//! export the default export is a Proxy, where a schema file exports a collectio
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
export default proxy;
