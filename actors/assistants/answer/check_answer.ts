/**
 * Checks what a model wrote before it may leave.
 *
 *  A1 A text that promises a person leaves only in a turn that hands over.
 *  A2 Every link of a text that leaves is one of the allowed ones.
 *  A3 No answer leaves twice in a row.
 *  A4 A model is asked once at most to mend an answer. Afterwards the text leaves without what is wrong with it, or a
 *     person continues.
 */
import { expanded } from '../expanded_text.ts'
import type { Languages } from '../language/languages.ts'
import type { AnswerQuestion, AnswerVerdict } from './answer.ts'
import { takeCitations } from './citations.ts'
import { allowedKeys, findLinks } from './links.ts'
import { promisesPerson } from './promises.ts'
import { splitText } from './split.ts'

/** Messages of one answer. */
const MAX_PARTS = 3
/** The language of the person scores less by this before an answer counts as one in another language. */
const CLEARLY = 0.05

const NAMES = new Intl.DisplayNames('en', { type: 'language' })

const INSTRUCTIONS = {
  empty: 'Your answer was empty. Write the answer to the last message.',
  links:
    'Your answer had a link that is neither in your instructions nor in the result of a tool. Write it again without that link.',
  too_long: 'Your answer is too long for the channel. Write it again in a quarter of the length.',
}

export async function checkAnswer(question: AnswerQuestion, languages: Languages): Promise<AnswerVerdict> {
  const { is_repaired, is_handed_over } = question
  const { text: uncited, cited } = takeCitations(cleaned(question.text), question.sources)
  if (!is_handed_over && promisesPerson(uncited)) return { kind: 'hand_over', reason: 'promised' }
  const links = strangersIn(uncited, allowedKeys(question.allowed_links))
  const text = links.length > 0 ? withoutLinks(uncited, links) : tidy(uncited)
  if (!/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text)) {
    return is_repaired ? { kind: 'hand_over', reason: 'empty' } : repair('empty')
  }
  if (links.length > 0 && !is_repaired) return repair('links')
  if (isRepeated(text, question.last_answer) && !is_handed_over) return { kind: 'hand_over', reason: 'repeated' }
  if (!is_repaired && question.language !== null && (await isInOther(text, question.language, languages))) {
    const name = NAMES.of(question.language) ?? question.language
    return {
      kind: 'repair',
      reason: 'language',
      instruction: `The person writes in ${name}. Write your answer again in ${name}.`,
    }
  }
  const { parts, rest } = splitText(text, question.text_limit, MAX_PARTS)
  if (rest !== '' && !is_repaired) return repair('too_long')
  return { kind: 'ok', text: parts.join('\n\n'), parts, sources: cited, has_removed_links: links.length > 0 }
}

/** A link of Markdown whose address is cut off leaves its title. */
export function withoutEmptyLinks(text: string): string {
  return text.replace(/\[([^[\]\n]{0,300})\]\($/, '$1')
}

function repair(reason: keyof typeof INSTRUCTIONS): AnswerVerdict {
  return { kind: 'repair', reason, instruction: INSTRUCTIONS[reason] }
}

/** Marks by which the transcript tells the authors of messages, which models repeat. */
const MARK = /^\s*\[(?:agent|assistant|note|file)\b[^\]\n]{0,60}\]:?[ \t]*/i

/** The text without characters that no chat shows, and without a mark of the transcript. */
export function cleaned(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, (sign) => ('\n\t'.includes(sign) ? sign : '')).replace(MARK, '')
}

type Place = { from: number; to: number }

/** Links of the text that are not among the allowed ones, in their order. */
export function strangersIn(text: string, allowed: ReadonlySet<string>): Place[] {
  return findLinks(text).filter(({ key }) => !allowed.has(key))
}

/** A link of Markdown leaves its title. */
function withoutLinks(text: string, links: readonly Place[]): string {
  const kept: string[] = []
  let at = 0
  for (const { from, to } of links) {
    if (from < at) continue
    kept.push(text.slice(at, from))
    at = to
  }
  kept.push(text.slice(at))
  return tidy(kept.join('').replace(/\[([^[\]\n]{0,300})\]\(\)/g, '$1'))
}

/** The white space that removed parts leave behind. */
function tidy(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function isRepeated(text: string, last: string | null): boolean {
  if (last === null) return false
  if (text === last) return true
  const form = folded(text)
  return form === '' ? text.trim() === last.trim() : form === folded(last)
}

function folded(text: string): string {
  return expanded(text, 'NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

async function isInOther(text: string, language: string, languages: Languages): Promise<boolean> {
  const spoken = await languages.tell(text)
  if (!spoken || spoken.language === language) return false
  return (spoken.scores[language] ?? 0) < spoken.scores[spoken.language]! - CLEARLY
}
