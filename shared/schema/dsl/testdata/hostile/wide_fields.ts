//! time_limit|too_large the
import { blocks, collection, item, list, object, text } from "svc/schema";
const fields: Record<string, unknown> = {};
for (let i = 0; i < 300000; i++) fields["f" + i] = text();
export default collection({ name: "notes", fields });
