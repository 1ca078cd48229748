//! thrown threw no
throw "no";
