//! memory_limit|time_limit its evaluation
const all = [];
for (;;) all.push(new ArrayBuffer(1e7));
