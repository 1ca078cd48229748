//! value @3:61 is a symbol, which no schema can hold
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { title: text({ label: Symbol("x") }) } });
