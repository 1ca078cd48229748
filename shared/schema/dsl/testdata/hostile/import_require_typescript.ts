//! import @2:21 a schema file has no require and no import(); write: import {
import fs = require("fs");
export default fs;
