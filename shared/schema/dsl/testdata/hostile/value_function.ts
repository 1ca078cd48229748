//! value @3:61 is a function, which no schema can hold; write the value, or call the
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { title: text({ label: () => "x" }) } });
