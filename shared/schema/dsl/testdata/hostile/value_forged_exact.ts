//! value is no JSON; exact takes the text of one JSON value, such as exact("0.1
const exact = Symbol.for("svc.exact");
export default { name: "notes", fields: {}, label: Object.defineProperty({}, exact, { value: "1, \"x\": 2" }) };
