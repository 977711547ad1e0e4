/** Texts of the list of the inbox. No DOM. */

export const FAILED = 'Reply failed'
export const FAILED_ONLY = 'Failed replies only'
/** @param {string} when */
export const FAILED_SINCE = (when) => `A reply failed on ${when}, and none was sent since`
