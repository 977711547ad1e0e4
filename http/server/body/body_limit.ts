/** Maximum bytes of a body on routes that set no `body_limit` of their own. */
export const BODY_LIMIT = 1024 * 1024
/** The same on routes without authentication. */
export const STRANGERS_BODY_LIMIT = 8 * 1024
