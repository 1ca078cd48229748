//! export the export all[1] is a string, where every item of the array must be a
import { blocks, collection, item, list, object, text } from "svc/schema";
export const all = [collection({ name: "notes", fields: {} }), "more"];
