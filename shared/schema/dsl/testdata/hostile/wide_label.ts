//! too_large|time_limit the
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", label: "x".repeat(2e7), fields: {} });
