//! import @2:19 there is no file "a\x00.ts" in the schema folder (with .ts, .mts, .js or
import { x } from "./a\0.ts";
export default x;
