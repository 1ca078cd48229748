//! type @3:61 must not contain the character NUL
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { title: text({ label: "a\0b" }) } });
