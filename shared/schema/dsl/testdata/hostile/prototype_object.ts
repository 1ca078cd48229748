//! thrown @2:27 TypeError: Cannot add property required, object is not extensible
(Object.prototype as any).required = true;
