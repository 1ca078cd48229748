//! import @2:19 ".." leaves the schema folder, which holds all that its files import
import { x } from "..";
export default x;
