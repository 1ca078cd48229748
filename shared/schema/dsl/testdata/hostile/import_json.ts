//! import @2:18 there is no file "data.json" in the schema folder
import data from "./data.json";
export default data;
