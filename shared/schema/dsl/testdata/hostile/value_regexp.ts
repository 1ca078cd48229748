//! value @3:61 is an object of the class RegExp; write the pattern as a string
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { title: text({ pattern: /^a/ }) } });
