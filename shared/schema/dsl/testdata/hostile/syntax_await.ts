//! syntax @2:1 a schema file cannot await: nothing in it takes time
await Promise.resolve(1);
