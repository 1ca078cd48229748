//! forbidden @2:16 process is not defined: a schema file has only the languag
export default process.env;
