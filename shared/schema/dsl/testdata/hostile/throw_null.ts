//! thrown threw null
throw null;
