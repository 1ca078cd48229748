//! import @2:19 "..\\..\\windows" cannot be imported: a schema file has
import { x } from "..\\..\\windows";
export default x;
