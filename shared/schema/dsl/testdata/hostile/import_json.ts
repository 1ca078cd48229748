//! import @2:18 "./data.json" cannot be imported: put the values into a .ts file and e
import data from "./data.json";
export default data;
