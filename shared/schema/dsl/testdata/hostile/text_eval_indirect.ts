//! forbidden @2:5 a schema file has no eval: write the code itself
(0, eval)("1 + 1");
