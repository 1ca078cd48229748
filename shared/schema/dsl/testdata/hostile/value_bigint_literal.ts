//! value @3:79 a schema file has no big integers: write a number
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { title: text({ maxLength: 9n }) } });
