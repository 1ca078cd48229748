//! import @2:19 there is no file ".secret" in the schema folder (with .ts, .mts, .js o
import { x } from "./.secret";
export default x;
