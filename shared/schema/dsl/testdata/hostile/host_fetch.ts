//! forbidden @2:16 fetch is not defined: a schema file has only the language itself
export default fetch("https://example.com");
