//! time_limit longer than the
while (true) {}
