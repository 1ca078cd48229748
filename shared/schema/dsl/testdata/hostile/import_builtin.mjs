//! import @2:16 "fs" cannot be imported: a schema file has
import fs from "fs";
export default fs;
