//! import @2:13 a schema file has no require and no import(); write: import {
void import("./import_dynamic");
