/** The text without what PostgreSQL cannot store: NUL and halves of surrogate pairs become U+FFFD. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}
