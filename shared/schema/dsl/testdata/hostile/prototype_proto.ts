//! thrown @2:25 TypeError: Cannot add property polluted, object is not extensible
(({}) as any).__proto__.polluted = 1;
