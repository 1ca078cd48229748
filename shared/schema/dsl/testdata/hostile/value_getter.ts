//! value @3:16 is a getter; write the value itself
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { title: { type: "text", get label() { for (;;) {} } } } });
