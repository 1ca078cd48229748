//! recursion @3:10 calls are nested deeper than 2000 here
function down(n: number): number {
  return down(n + 1) + 1;
}
export const x = down(0);
