//! import @3:6 a schema file has no import(): write import {
const name = "f" + "s";
void import(name);
