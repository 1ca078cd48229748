//! export @3:16 the default export is only a part of a collection (field), where a sch
import { blocks, collection, item, list, object, text } from "svc/schema";
export default text();
