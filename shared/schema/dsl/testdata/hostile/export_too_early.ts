//! empty export no collection
export { x };
f();
function f() { return x; }
const x = 1;
