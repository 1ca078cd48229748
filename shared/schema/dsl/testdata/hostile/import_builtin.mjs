//! import @2:16 "fs" cannot be imported: a schema file has no Node.js, no files and no
import fs from "fs";
export default fs;
