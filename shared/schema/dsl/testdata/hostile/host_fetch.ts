//! forbidden @2:16 fetch is not defined: a schema file has no network and no browser, onl
export default fetch("https://example.com");
