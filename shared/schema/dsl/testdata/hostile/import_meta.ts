//! forbidden @2:16 a schema file has no import.meta
export default import.meta.url;
