//! time_limit longer than the
import { blocks, collection, item, list, object, text } from "svc/schema";
for (;;) text({ label: "again" });
