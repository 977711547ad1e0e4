/**
 * Takes the place of `tap` in a test file that shares its process. The query in its address makes Node load it once for
 * each file.
 */
export default globalThis.testOfFile
