/** Sources that an answer cites by their numbers. */
import type { Source } from '../tools/tool.ts'

const CITATION = / ?\[(\d{1,3}(?:[,;] ?\d{1,3}){0,20})\](?!\()/g

/** The text without citations of sources that exist, and these sources, each once, in the order of the text. */
export function takeCitations(text: string, sources: readonly Source[]): { text: string; cited: Source[] } {
  const cited = new Map<string, Source>()
  const rest = text.replace(CITATION, (citation: string, numbers: string) => {
    const named = numbers.split(/[,;] ?/).flatMap((number) => sources[Number(number) - 1] ?? [])
    // Something else in brackets, such as a year.
    if (named.length === 0) return Number(numbers.split(/[,;]/)[0]) <= 99 && sources.length > 0 ? '' : citation
    for (const source of named) cited.set(source.node_id ?? source.url ?? source.title, source)
    return ''
  })
  return { text: rest, cited: [...cited.values()] }
}
