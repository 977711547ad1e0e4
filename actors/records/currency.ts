const currencies = new Set(Intl.supportedValuesOf('currency'))

/** True for a code of ISO 4217, such as MXN. */
export function isCurrency(text: string): boolean {
  return currencies.has(text)
}
