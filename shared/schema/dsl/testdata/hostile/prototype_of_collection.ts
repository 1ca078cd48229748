//! thrown @3:16 collection() takes its options as a plain object, such as collection({
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection(Object.create({ name: "notes", fields: {} }));
