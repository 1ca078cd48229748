//! memory_limit|time_limit its evaluation
const m = new Map<number, object>();
for (let i = 0; ; i++) m.set(i, { i });
