//! time_limit longer than the
outer: for (;;) { for (let i = 0; i < 10; i++) continue outer; }
