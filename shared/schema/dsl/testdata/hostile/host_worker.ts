//! forbidden @2:5 Worker is not defined: a schema file has no network and no browser, on
new Worker("x.js");
