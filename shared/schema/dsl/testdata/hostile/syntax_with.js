//! syntax @2:1 With statements cannot be used in an ECMAScript module
with (Math) { abs(1); }
