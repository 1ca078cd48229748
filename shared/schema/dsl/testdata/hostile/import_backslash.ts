//! import @2:19 "..\\..\\windows" cannot be imported: schema files import "svc/schema"
import { x } from "..\\..\\windows";
export default x;
