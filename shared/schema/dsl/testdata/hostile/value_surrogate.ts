//! value @3:61 holds half a character (a lone surrogate)
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { title: text({ label: "\ud800" }) } });
