//! import @2:14 a schema file has no require and no import(): write import {
const load = require;
export default load("fs");
