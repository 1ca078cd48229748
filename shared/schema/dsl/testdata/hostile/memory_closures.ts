//! memory_limit|time_limit its evaluation
const fs: (() => number)[] = [];
for (let i = 0; ; i++) { const big = new Array(100).fill(i); fs.push(() => big.length); }
