//! time_limit longer than the
for (;;) [1, 2, 3].map((n) => n);
