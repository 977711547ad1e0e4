/** A phone number in E.164 form, by shape only: numbering plans change, and providers keep old forms. */
export const E164 = /^\+[1-9]\d{6,14}$/

/**
 * WhatsApp's business-scoped user id, with `ENT` the parent form of a group of businesses. People with a username may have
 * no visible number (since 2026).
 */
export const BSUID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/

/** To follow "must be". */
export const phoneExpected = 'a phone number in E.164 form, such as +5215512345678'

/** To follow "must be": the recipients of a message on WhatsApp. */
export const whatsAppIdExpected = `${phoneExpected}, or a business-scoped user id, such as US.13491208655302741918`
