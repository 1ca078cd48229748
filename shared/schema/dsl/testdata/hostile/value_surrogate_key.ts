//! key @3:64 is not a field key
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { "\ud800": text() } });
