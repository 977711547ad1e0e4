/** The formats of the descriptions' texts. The validators that a run prepares load this module too. */
export const formats = {
  'date-time': /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)$/,
  uri: { validate: (text: string) => URL.canParse(text) },
  email: true as const,
}
