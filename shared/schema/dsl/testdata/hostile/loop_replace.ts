//! time_limit longer than the
let s = "a";
for (;;) s = s.replace(/a/g, () => "a");
