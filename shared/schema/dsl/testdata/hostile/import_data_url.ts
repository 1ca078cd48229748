//! import @2:15 "data:text/javascript,export default 1" cannot be imported: a schema file has
import x from "data:text/javascript,export default 1";
export default x;
