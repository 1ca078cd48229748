//! thrown @2:46 TypeError: Cannot assign to read only property 'next'
Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: false });
