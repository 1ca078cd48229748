//! value @3:61 is an object of the class Uint8Array; write a plain object, array or v
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { title: text({ enum: new Uint8Array(3) }) } });
