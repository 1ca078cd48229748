//! forbidden @2:24 a schema file has no require: write import {
export default require.resolve("fs");
