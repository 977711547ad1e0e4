import { composed } from '../../storage/mod.ts'

/** Characters of a text that are made comparable. Answers and messages have far less. */
const MOST = 20_000

/**
 * The compatible form of a text, which one character may lengthen to eighteen. The length of the form is bounded, because all that
 * follows is measured by it.
 */
export function expanded(text: string, form: 'NFKC' | 'NFKD'): string {
  return composed(text.slice(0, MOST), form).slice(0, MOST)
}
