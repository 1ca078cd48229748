//! thrown @2:7 RangeError: no way
throw new RangeError("no\nway");
