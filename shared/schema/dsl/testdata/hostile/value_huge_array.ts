//! value @3:61 is an array of more than 250000 items
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { title: text({ enum: new Array(4e9) }) } });
