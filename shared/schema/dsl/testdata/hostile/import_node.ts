//! import @2:30 "node:fs" cannot be imported: a schema file has no Node.js, no files a
import { readFileSync } from "node:fs";
export default readFileSync("/etc/passwd");
