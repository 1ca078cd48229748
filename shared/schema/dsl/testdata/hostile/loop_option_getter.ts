//! time_limit longer than the
import { blocks, collection, item, list, object, text } from "svc/schema";
export default collection({ get name() { for (;;) {} }, fields: {} });
