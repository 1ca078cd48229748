//! value @3:61 is an object of the class Map; write a plain object, array or value
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { title: text({ ui: new Map() }) } });
