//! import @2:20 "file:///etc/passwd" cannot be imported: a schema file loads nothing f
import passwd from "file:///etc/passwd";
export default passwd;
