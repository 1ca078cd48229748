//! thrown @2:7 from elsewhere
throw new Error("from elsewhere");
//# sourceMappingURL=file:///etc/passwd
