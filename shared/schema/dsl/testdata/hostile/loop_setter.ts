//! time_limit longer than the
const o = { set x(v: number) { for (;;) {} } };
o.x = 1;
