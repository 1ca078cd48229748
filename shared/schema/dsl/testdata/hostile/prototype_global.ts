//! thrown @2:21 TypeError: Cannot add property shared, object is not extensible
(globalThis as any).shared = 1;
