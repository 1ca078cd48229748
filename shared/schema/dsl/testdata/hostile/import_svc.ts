//! import @2:28 "svc" cannot be imported: a schema file has
import { collection } from "svc";
export default collection({});
