/**
 * Divides the module's memory into fixed regions. The module never allocates, so a delivery cannot make it run out of
 * memory.
 */

/** Maximum length of a body, in bytes. */
export const maxBytes: u32 = 1 << 20;
/** Maximum number of objects and arrays that are open at the same time. */
export const maxDepth: u32 = 1024;
/** Maximum number of objects and arrays in one body. */
export const maxContainers: u32 = 1 << 16;

/** The trees of names. The host writes them once. */
export const trees: usize = 4096;
export const treeBytes: u32 = 1 << 16;
/** The open objects and arrays, from the outermost one: 4 bytes each. */
export const stack: usize = trees + treeBytes;
/** Where each object or array ends: 8 bytes each, in the order of their first bytes. */
export const containers: usize = stack + 4 * maxDepth;
/** One bit per byte of the body. The bits of brackets, commas and colons outside of strings are set. */
export const marks: usize = containers + 8 * maxContainers;
/** The body, followed by at least one block of spaces. */
export const input: usize = marks + maxBytes / 8 + 64;
/** The cut text. Copies of 16 bytes may write beyond its end. */
export const output: usize = input + maxBytes + 128;
/** Size of the whole memory, in bytes. */
export const memoryBytes: usize = output + maxBytes + 64;
