//! import @2:19 "./a/../../b" leaves the schema folder, which holds all that its files
import { x } from "./a/../../b";
export default x;
