//! value @3:61 is Infinity, which is no number a schema can hold
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { title: text({ maxLength: Infinity }) } });
