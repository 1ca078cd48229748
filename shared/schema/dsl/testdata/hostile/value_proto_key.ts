//! key @3:69 "__proto__" is not a field key: letters, digits and underscores, a let
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { ["__proto__"]: text() } });
