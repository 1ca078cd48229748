//! time_limit longer than the
export const x = `${{ toString() { for (;;) {} } }}`;
