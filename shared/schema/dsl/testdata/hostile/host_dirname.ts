//! forbidden @2:16 __dirname is not defined: a schema file has no Node.js, only the langu
export default __dirname;
