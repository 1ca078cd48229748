//! export @3:60 the export default[1] is only a part of a collection (field), where ev
import { blocks, collection, item, list, object, text } from "svc/schema";
export default [collection({ name: "notes", fields: {} }), text()];
