//! value @4:35 is nested deeper than 60 values
import { blocks, collection, item, list, object, text } from "svc/schema";
let f = object({ fields: { a: text() } });
for (let i = 0; i < 100; i++) f = object({ fields: { f } });
export default collection({ name: "notes", fields: { f } });
