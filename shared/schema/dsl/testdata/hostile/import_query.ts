//! import @2:19 there is no file "import_query.ts?again" in the schema folder (with .t
import { x } from "./import_query.ts?again";
export default x;
