//! import @2:30 "node:fs" cannot be imported: a schema file has
import { readFileSync } from "node:fs";
export default readFileSync("/etc/passwd");
