//! time_limit longer than the
for (;;) { try { throw new Error("again"); } catch {} finally { continue; } }
