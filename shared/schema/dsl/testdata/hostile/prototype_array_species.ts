//! export the export default[0] is a number, where every item of the array must
import { blocks, collection, item, list, object, text } from "svc/schema";
class Odd extends Array {}
export default Odd.from([1, 2]);
