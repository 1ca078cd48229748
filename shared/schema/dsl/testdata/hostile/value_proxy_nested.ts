//! value @3:61 is a Proxy; write a plain object
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { title: text({ ui: new Proxy({}, { ownKeys() { throw new Error("boo"); } }) }) } });
