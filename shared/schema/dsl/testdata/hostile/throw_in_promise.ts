//! thrown a promise of this file failed and nobody noticed: late
void Promise.reject(new Error("late"));
