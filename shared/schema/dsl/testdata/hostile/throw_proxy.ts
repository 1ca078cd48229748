//! thrown threw a Proxy, and no Error with a message
throw new Proxy({}, { get() { for (;;) {} } });
