//! time_limit longer than the
async function spin() { for (;;) await null; }
void spin();
