//! import @2:18 an import has no attributes in a schema file
import data from "./data.js" with { type: "json" };
export default data;
