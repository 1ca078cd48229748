//! memory_limit|time_limit its evaluation
const kept: string[][] = [];
while (true) kept.push(new Array(1000).fill("x" + kept.length));
