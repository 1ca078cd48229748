//! value @5:61 is an array with holes, getters or more than 250000 items
import { blocks, collection, item, list, object, text } from "svc/schema";
const e: string[] = [];
Object.defineProperty(e, 0, { get() { for (;;) {} }, enumerable: true });
export default collection({ name: "notes", fields: { title: text({ enum: e }) } });
