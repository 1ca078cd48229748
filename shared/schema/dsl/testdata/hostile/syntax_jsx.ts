//! syntax @2:35 Unterminated regular expression
export const a = <div>hello</div>;
