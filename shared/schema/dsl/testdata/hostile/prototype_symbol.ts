//! thrown @2:8 TypeError: Cannot assign to read only property 'for'
Symbol.for = () => Symbol("other");
