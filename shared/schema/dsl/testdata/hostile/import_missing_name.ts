//! import @2:10 No matching export in "svc/schema" for import "colection": Did you mea
import { colection } from "svc/schema";
export default colection({});
