//! syntax @2:14 Unexpected "}"
enum E { A = }
