//! thrown @4:16 collection(): fields.title must be a field, such as text() or list({ o
import { blocks, collection, item, list, object, text } from "svc/schema";
class Title { type = "text"; }
export default collection({ name: "notes", fields: { title: new Title() } });
