//! import @2:28 "svc" cannot be imported: the builders are in "svc/schema"
import { collection } from "svc";
export default collection({});
