//! required is missing: the key of the collection, such as "posts"
const kind = Symbol.for("svc.kind");
export default Object.defineProperty({}, kind, { value: "collection" });
