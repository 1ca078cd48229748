//! value @3:58 is an object of the class Date; write the date as a string, such as "2
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ name: "notes", fields: { on: text({ default: new Date("2026-01-01") }) } });
