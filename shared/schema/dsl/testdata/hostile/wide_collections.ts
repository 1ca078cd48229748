//! time_limit|too_large the
import { blocks, collection, item, list, object, text } from "svc/schema";
export default Array.from({ length: 60000 }, (_, i) => collection({ name: "c" + i, fields: { title: text() } }));
