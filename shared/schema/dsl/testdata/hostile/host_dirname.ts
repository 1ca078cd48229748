//! forbidden @2:16 __dirname is not defined: a schema file has only the langu
export default __dirname;
