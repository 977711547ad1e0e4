/** Texts of the filters of the inbox. No DOM. */

export const FAILED_ONLY = 'Failed replies only'
