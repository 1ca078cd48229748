//! time_limit longer than the
class Forever { static { while (true) {} } }
export const x = Forever;
