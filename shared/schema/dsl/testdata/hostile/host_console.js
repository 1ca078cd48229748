//! forbidden @2:1 console is not defined: a schema file has only the language
console.log("hello");
