//! value has a symbol as a key, which no schema can hold
const at = Symbol.for("svc.at");
export default { name: "Notes", fields: {}, [at]: -1 };
