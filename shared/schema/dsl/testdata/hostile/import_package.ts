//! import @2:20 "lodash" cannot be imported: a schema file has
import lodash from "lodash";
export default lodash;
