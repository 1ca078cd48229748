//! value @5:16 contains itself
import { blocks, collection, item, list, object, text } from "svc/schema";
const fields: Record<string, unknown> = { title: text() };
fields.again = { type: "object", fields };
export default collection({ name: "notes", fields });
