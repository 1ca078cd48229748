//! import @2:20 a schema file has no require and no import(); write: import {
const fs = require("f" + "s");
export default fs;
