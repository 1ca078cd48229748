//! value @3:61 is a BigInt; write a number
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { title: text({ maxLength: BigInt(9) }) } });
