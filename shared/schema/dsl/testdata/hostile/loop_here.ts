//! time_limit longer than the
for (;;) __svc_here();
