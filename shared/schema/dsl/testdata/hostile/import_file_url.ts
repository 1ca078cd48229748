//! import @2:20 "file:///etc/passwd" cannot be imported: a schema file has
import passwd from "file:///etc/passwd";
export default passwd;
