//! import @2:19 there is no file "nowhere" in the schema folder (with .ts, .mts, .js o
import { x } from "./nowhere";
export default x;
