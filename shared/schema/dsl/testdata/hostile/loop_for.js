//! time_limit longer than the
export default 1;
for (;;) {
}
