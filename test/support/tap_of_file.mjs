/** Stands for `tap` in a test file that shares its process. Loaded once for each file, by the query of its address. */
export default globalThis.testOfFile
