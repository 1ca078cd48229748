//! import @2:28 "svc/internal" cannot be imported: there is only "svc/schema"
import { collection } from "svc/internal";
export default collection({});
