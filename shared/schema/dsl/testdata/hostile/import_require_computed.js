//! import @2:20 a schema file has no require; write: import {
const fs = require("f" + "s");
export default fs;
