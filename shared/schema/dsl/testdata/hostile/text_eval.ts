//! forbidden @2:1 a schema file has no eval: write the code itself
eval("1 + 1");
