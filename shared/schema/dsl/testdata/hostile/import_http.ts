//! import @2:15 "https://example.com/x.js" cannot be imported: a schema file has
import x from "https://example.com/x.js";
export default x;
