//! export the default export is a function, where a schema file exports a collec
import { blocks, collection, item, list, object, text } from "svc/schema";
export default () => collection({ name: "notes", fields: {} });
