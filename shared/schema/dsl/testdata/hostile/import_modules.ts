//! import @2:19 there is no file "node_modules/x/index.js" in the schema folder (with
import { x } from "./node_modules/x/index.js";
export default x;
