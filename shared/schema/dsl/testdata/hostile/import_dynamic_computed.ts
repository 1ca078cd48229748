//! import @3:6 a schema file has no require and no import(): write import {
const name = "f" + "s";
void import(name);
