//! import @2:28 "svc/internal" cannot be imported: a schema file has
import { collection } from "svc/internal";
export default collection({});
