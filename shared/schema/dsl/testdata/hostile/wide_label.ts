//! too_large @3:16 the files declare more than 250000 values or 8388608 bytes
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", label: "x".repeat(2e7), fields: {} });
