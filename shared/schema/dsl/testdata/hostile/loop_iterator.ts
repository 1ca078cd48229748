//! time_limit longer than the
const it = { [Symbol.iterator]() { return { next: () => ({ value: 1, done: false }) }; } };
for (const x of it) {}
