//! too_large|time_limit the
import { blocks, collection, item, list, object, text } from "svc/schema";
let f: any = { type: "text" };
for (let i = 0; i < 20; i++) f = { type: "object", fields: { a: f, b: f } };
export default collection({ name: "notes", fields: { f } });
