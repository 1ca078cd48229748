//! forbidden @2:5 Worker is not defined: a schema file has only the language itself
new Worker("x.js");
