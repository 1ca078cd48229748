//! value @5:61 is a hole in the array, or a getter
import { blocks, collection, item, list, object, text } from "svc/schema";
const e: string[] = [];
Object.defineProperty(e, 0, { get() { for (;;) {} }, enumerable: true });
export default collection({ name: "notes", fields: { title: text({ enum: e }) } });
