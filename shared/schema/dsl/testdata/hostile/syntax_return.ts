//! syntax @2:1 Top-level return cannot be used inside an ECMAScript module
return 1;
