//! value @3:61 is a hole in the array, or a getter
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { title: text({ enum: [, "a"] }) } });
