//! import @2:13 a schema file has no import(); write: import {
void import("./import_dynamic");
