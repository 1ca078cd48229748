//! empty export no collection
import { x } from "./recursion_imports_itself";
export const y = x;
export const x = 1;
