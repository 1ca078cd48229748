//! duplicate @3:69 Duplicate key "title" in object literal
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { title: text(), title: text() } });
