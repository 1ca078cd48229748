//! value @3:16 has a symbol as a key, which no schema can hold
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { title: { type: "text", [Symbol("x")]: 1 } } });
