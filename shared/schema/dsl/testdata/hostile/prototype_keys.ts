//! thrown @2:8 TypeError: Cannot assign to read only property 'keys'
Object.keys = () => [];
