//! import @2:21 a schema file has no require; write: import {
import fs = require("fs");
export default fs;
