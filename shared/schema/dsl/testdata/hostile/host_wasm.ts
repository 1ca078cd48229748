//! forbidden @2:16 WebAssembly is not defined: a schema file has only the language itself
export default WebAssembly.compile(new Uint8Array(8));
