//! forbidden @2:1 setTimeout is not defined: a schema file has only the langua
setTimeout(() => {}, 10);
