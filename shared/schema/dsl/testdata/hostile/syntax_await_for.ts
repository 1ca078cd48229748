//! syntax @2:5 a schema file cannot await: nothing in it takes time
for await (const x of []) {}
