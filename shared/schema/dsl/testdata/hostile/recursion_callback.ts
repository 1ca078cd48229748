//! recursion @2:33 calls are nested deeper than 2000 here
const down = (): unknown => [1].map(down);
export const x = down();
