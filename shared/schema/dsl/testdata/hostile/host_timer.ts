//! forbidden @2:1 setTimeout is not defined: a schema file has no clock, only the langua
setTimeout(() => {}, 10);
