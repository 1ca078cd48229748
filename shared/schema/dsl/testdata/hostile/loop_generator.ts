//! memory_limit|time_limit its evaluation
function* forever() { for (;;) yield 1; }
export const all = [...forever()].length;
