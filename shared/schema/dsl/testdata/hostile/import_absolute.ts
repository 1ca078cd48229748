//! import @2:20 "/etc/passwd" cannot be imported: a schema file has
import passwd from "/etc/passwd";
export default passwd;
