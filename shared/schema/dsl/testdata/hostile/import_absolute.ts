//! import @2:20 "/etc/passwd" cannot be imported: files are imported by a relative pat
import passwd from "/etc/passwd";
export default passwd;
