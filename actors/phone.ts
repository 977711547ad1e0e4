/** A phone number in E.164 form, by shape only: numbering plans change, and providers keep old forms. */
export const E164 = /^\+[1-9]\d{6,14}$/

/** To follow "must be". */
export const phoneExpected = 'a phone number in E.164 form, such as +5215512345678'
