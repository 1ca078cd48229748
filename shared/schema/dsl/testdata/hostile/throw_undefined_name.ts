//! thrown @2:16 undefinedName is not defined
export default undefinedName;
