//! import @2:20 "../../../../../../etc/passwd" leaves the schema folder, which holds a
import passwd from "../../../../../../etc/passwd";
export default passwd;
