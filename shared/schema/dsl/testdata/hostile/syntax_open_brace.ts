//! syntax @3:53 the file ends in the middle of something: a bracket, a brace or a quot
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: {
