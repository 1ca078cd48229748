//! time_limit longer than the
const numbers = Array.from({ length: 2e6 }, (_, i) => -i);
for (;;) numbers.sort((a, b) => (a % 7) - (b % 7));
