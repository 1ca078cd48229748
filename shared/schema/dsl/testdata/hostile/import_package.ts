//! import @2:20 "lodash" cannot be imported: schema files import "svc/schema" and othe
import lodash from "lodash";
export default lodash;
