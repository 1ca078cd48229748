//! export @2:1 a schema file exports with export and has no module or exports: write
exports.notes = { name: "notes", fields: {} };
